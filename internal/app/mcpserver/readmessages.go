package mcpserver

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"tapedeck/internal/apiclient"
	"tapedeck/query/session/transcript"
)

const readMessagesText = "The messages of a session in order: system, user, assistant, thinking, tool_arguments, tool_output, tool_result, reply, error. Long texts are cut; the entry in more returns the rest."

type readMessagesArguments struct {
	Session string   `json:"session" jsonschema:"The id of the session, from find_sessions."`
	Kind    []string `json:"kind,omitempty" jsonschema:"Only messages of these kinds: system, user, assistant, thinking, tool_arguments, tool_output, tool_result, reply, error."`
	Since   string   `json:"since,omitempty" jsonschema:"Only messages of which something arrived at this time or later, RFC 3339."`
	Bytes   int      `json:"bytes,omitempty" jsonschema:"Bytes of each text at most, up to 4000. Default: 1000."`
	Limit   int      `json:"limit,omitempty" jsonschema:"Messages at most, up to 100. Default: 50."`
	Message string   `json:"message,omitempty" jsonschema:"Only this message, by its id, with a longer part of its text."`
	Offset  int      `json:"offset,omitempty" jsonschema:"With message: where in the text to begin, in bytes."`
	AsOf    string   `json:"as_of,omitempty" jsonschema:"The messages as they were at this moment: RFC 3339, or an offset from the start of the session like +12.5s. Default: now."`
	Cursor  string   `json:"cursor,omitempty" jsonschema:"From the answer before, for the messages after it."`
}

// messageKinds are the kinds of messages.
var messageKinds = []string{"system", "user", "assistant", "thinking", "tool_arguments", "tool_output", "tool_result", "reply", "error"}

// messageLine is a message in a list.
type messageLine struct {
	ID      string  `json:"message"`
	Kind    string  `json:"kind"`
	Name    string  `json:"name,omitempty"` // of the tool
	Agent   string  `json:"agent,omitempty"`
	Span    string  `json:"span,omitempty"`
	StartMS float64 `json:"start_ms"`
	window
	Cut  bool `json:"cut,omitempty"`
	Open bool `json:"open,omitempty"` // more may be added
}

func newMessageLine(m *transcript.Message, from, size int) (line messageLine, next int) {
	line = messageLine{ID: short(m.ID, idSize), Kind: m.Kind, Name: short(m.Name, nameSize), Agent: short(m.Agent, nameSize),
		Span: short(m.SpanID, idSize), StartMS: m.StartMS, Open: !m.Complete}
	line.window, next = windowOf(m.Text, from, size)
	line.Cut = next > 0
	return line, next
}

func readMessages(ctx context.Context, c *call, in readMessagesArguments) (*answer, error) {
	at, err := c.after(in.Cursor)
	if err != nil {
		return nil, err
	}
	if in.Session == "" {
		return nil, errNoSession
	}
	for _, kind := range in.Kind {
		if !slices.Contains(messageKinds, kind) {
			return nil, fmt.Errorf(`the argument "kind" has %q: it must be one of %s`, short(kind, nameSize), strings.Join(messageKinds, ", "))
		}
	}
	r := &messageReader{call: c, in: in, at: at}
	if r.asOf, err = parseMoment("as_of", in.AsOf); err != nil {
		return nil, err
	}
	if in.Message != "" {
		return r.one(ctx)
	}
	return r.list(ctx)
}

// messageReader reads the transcript of a session.
type messageReader struct {
	*call
	in   readMessagesArguments
	at   string  // cursor of the API
	asOf *moment // nil for now
}

func (r *messageReader) page(ctx context.Context, at string, limit int) (*page[transcript.Message], error) {
	q := url.Values{"limit": {fmt.Sprint(limit)}}
	set(q, map[string]string{"since": r.in.Since, "cursor": at})
	if r.asOf != nil {
		q.Set("chunks", "1")
	}
	var p page[transcript.Message]
	if err := r.Get(ctx, apiclient.SessionPath(r.in.Session, "transcript"), q, &p); err != nil || r.asOf == nil {
		return &p, err
	}
	for i := range p.Items {
		if !cutMessage(&p.Items[i], r.asOf) { // messages are in order of their start
			p.Items, p.Next = p.Items[:i], nil
			break
		}
	}
	return &p, nil
}

// transcriptPages bounds the pages of a transcript that one call reads.
const transcriptPages = 20

// placedMessage is a message of an answer, with the page of the transcript that has it.
type placedMessage struct {
	id    string
	page  string // cursor of the API
	index int    // in the page
	rest  int    // offset of the rest of its text; 0 if it is whole
}

// list returns the messages from the cursor on.
func (r *messageReader) list(ctx context.Context) (*answer, error) {
	a := &answer{list: "messages"}
	limit, size := within(r.in.Limit, 50, 100), within(r.in.Bytes, 1_000, windowSize)
	var found []placedMessage // one more than the limit if there are more
	var next *string
	for at, pages := r.at, 0; pages < transcriptPages; pages++ {
		p, err := r.page(ctx, at, 200)
		if err != nil {
			return nil, err
		}
		for i := 0; i < len(p.Items) && len(found) <= limit; i++ {
			m := &p.Items[i]
			if len(r.in.Kind) > 0 && !slices.Contains(r.in.Kind, m.Kind) {
				continue
			}
			line, rest := newMessageLine(m, 0, size)
			if found = append(found, placedMessage{m.ID, at, i, rest}); len(found) <= limit {
				a.item(line)
			}
		}
		if next = p.Next; next == nil || len(found) > limit {
			break
		}
		at = *next
	}
	a.outline = fmt.Sprintf("%d messages of session %s.", len(a.items), short(r.in.Session, nameSize))
	if len(a.items) == 0 && next == nil {
		a.outline = fmt.Sprintf("Session %s has no such messages. Leave out kind, since or cursor for others.", short(r.in.Session, nameSize))
	}
	a.more = func(n int) ([]more, error) { return r.left(ctx, found, n, next) }
	a.reserve = (cutMost + 1) * r.moreSize()
	return a, nil
}

// cutMost is how many texts that are cut an answer names with the call that returns the rest.
const cutMost = 4

// left names what is left out if the first n messages are shown.
func (r *messageReader) left(ctx context.Context, found []placedMessage, n int, next *string) ([]more, error) {
	var list []more
	switch {
	case n < len(found):
		at, err := r.cursorBefore(ctx, &found[n])
		if err != nil {
			return nil, err
		}
		list = append(list, r.next("the messages after these", at))
	case next != nil:
		list = append(list, r.next("the messages after these", *next))
	}
	cut := 0
	for i := range found[:n] {
		m := &found[i]
		if m.rest == 0 {
			continue
		}
		if cut++; cut > cutMost {
			continue
		}
		with := map[string]any{"message": m.id, "offset": m.rest, "cursor": nil}
		if m.page != "" {
			with["cursor"] = r.cursor(m.page)
		}
		list = append(list, more{What: "the rest of the text of a message", Tool: r.tool, Arguments: r.again(with)})
	}
	if cut > cutMost {
		list[len(list)-1].What = fmt.Sprintf("the rest of the text of a message; %d others are cut, too, and read in the same way", cut-cutMost)
	}
	return list, nil
}

// cursorBefore returns the cursor of the API for a page that begins with a message.
func (r *messageReader) cursorBefore(ctx context.Context, m *placedMessage) (string, error) {
	if m.index == 0 {
		return m.page, nil
	}
	p, err := r.page(ctx, m.page, m.index)
	if err != nil || p.Next == nil {
		return m.page, err
	}
	return *p.Next, nil
}

// one returns one message with a window of its text.
func (r *messageReader) one(ctx context.Context) (*answer, error) {
	for at, pages := r.at, 0; pages < transcriptPages; pages++ {
		p, err := r.page(ctx, at, 1_000)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(p.Items, func(m transcript.Message) bool { return m.ID == r.in.Message }); i >= 0 {
			return r.window(&p.Items[i]), nil
		}
		if p.Next == nil {
			break
		}
		at = *p.Next
	}
	return nil, fmt.Errorf(`session %s has no message %q after this cursor: call read_messages without "message" and "cursor" for the ids of its messages`,
		short(r.in.Session, nameSize), short(r.in.Message, nameSize))
}

func (r *messageReader) window(m *transcript.Message) *answer {
	line, next := newMessageLine(m, r.in.Offset, 3*windowSize)
	a := &answer{}
	a.outline = fmt.Sprintf("Message of the kind %s: bytes %d to %d of %d.", m.Kind, line.From, line.From+len(line.Text), line.Bytes)
	a.set("message", line)
	if next > 0 {
		a.more = func(int) ([]more, error) {
			return []more{{What: fmt.Sprintf("the %d bytes after these", line.Bytes-next), Tool: r.tool,
				Arguments: r.again(map[string]any{"offset": next})}}, nil
		}
	}
	return a
}
