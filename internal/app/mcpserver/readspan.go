package mcpserver

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"tapedeck/internal/apiclient"
	"tapedeck/query/session/transcript"
)

const readSpanText = "One span in full: status, times, model, tokens, error, attributes, and its texts (arguments, output and result of a tool call; text and thinking of a model call). Long texts are cut; the entries in more return the rest."

type readSpanArguments struct {
	Session string `json:"session" jsonschema:"The id of the session, from find_sessions."`
	Span    string `json:"span" jsonschema:"The id of the span, from session_errors, session_outline, search_text or open_calls."`
	Part    string `json:"part,omitempty" jsonschema:"Only this text, with a longer part of it: error, attributes, or the id of a message of the span."`
	Offset  int    `json:"offset,omitempty" jsonschema:"With part: where in the text to begin, in bytes."`
	AsOf    string `json:"as_of,omitempty" jsonschema:"The span as it was at this moment: RFC 3339, or an offset from the start of the session like +12.5s. Default: now."`
	Cursor  string `json:"cursor,omitempty" jsonschema:"From the answer before, for the texts after it."`
}

// textOf is a text of a span: its error, its attributes or a message.
type textOf struct {
	part, kind, text string
	open             bool
}

func readSpan(ctx context.Context, c *call, in readSpanArguments) (*answer, error) {
	from, err := c.offset(in.Cursor)
	if err != nil {
		return nil, err
	}
	s, err := readSession(ctx, c, in.Session, in.AsOf)
	if err != nil {
		return nil, err
	}
	p, err := s.find(in.Span)
	if err != nil {
		return nil, err
	}
	texts, whole, err := spanTexts(ctx, c, s, p)
	if err != nil {
		return nil, err
	}
	if in.Part != "" {
		return partOf(c, p, texts, in)
	}
	a := &answer{list: "texts"}
	a.outline = fmt.Sprintf("Span of the kind %s, %s.", p.Kind, spanState(p))
	line := newSpanLine(p, excerptSize)
	line.Path, line.Position, line.Depth, line.Below = p.path(), p.Position, 0, len(s.below(p))-1
	a.set("session", short(s.ID, idSize))
	a.set("details", line)
	if p.above != nil {
		a.set("parent", short(p.above.ID, idSize))
	}
	if p.FirstTokenMS != nil {
		a.set("first_token_ms", *p.FirstTokenMS)
	}
	if p.Tokens != nil {
		a.set("token_counts", p.Tokens)
	}
	var cut []string
	for i := min(from, len(texts)); i < len(texts); i++ {
		t := &texts[i]
		w, next := windowOf(t.text, 0, windowSize)
		if next > 0 {
			cut = append(cut, t.part)
		} else {
			cut = append(cut, "")
		}
		a.item(struct {
			Part string `json:"part"`
			Kind string `json:"kind"`
			window
			Cut  bool `json:"cut,omitempty"`
			Open bool `json:"open,omitempty"`
		}{short(t.part, idSize), t.kind, w, next > 0, t.open})
	}
	a.more = func(n int) ([]more, error) {
		list := []more{}
		if left := len(texts) - min(from, len(texts)) - n; left > 0 {
			list = append(list, c.next(fmt.Sprintf("%d more texts of the span", left), fmt.Sprint(from+n)))
		}
		for i, part := range cut[:n] {
			if part != "" && len(list) < 4 {
				list = append(list, more{What: "the rest of the " + texts[from+i].kind, Tool: c.tool,
					Arguments: c.again(map[string]any{"cursor": nil, "part": part, "offset": len(partText(texts[from+i].text))})})
			}
		}
		if !whole {
			list = append(list, more{What: "messages that arrived much later may belong to the span, too", Tool: "read_messages",
				Arguments: c.of(in.Session, in.AsOf)})
		}
		return list, nil
	}
	a.reserve = 3 * c.moreSize()
	return a, nil
}

// partText returns the beginning of a text that an answer shows.
func partText(text string) string {
	w, _ := windowOf(text, 0, windowSize)
	return w.Text
}

// spanState describes the status and the time of a span.
func spanState(p *placed) string {
	switch took := p.took(); {
	case took != nil:
		return fmt.Sprintf("%s after %.3f s", p.Status, *took/1000)
	case p.OpenMS != nil:
		return fmt.Sprintf("%s, open for %.3f s", p.Status, *p.OpenMS/1000)
	}
	return p.Status
}

// partOf returns a window of one text of a span.
func partOf(c *call, p *placed, texts []textOf, in readSpanArguments) (*answer, error) {
	i := slices.IndexFunc(texts, func(t textOf) bool { return t.part == in.Part })
	if i < 0 {
		return nil, fmt.Errorf(`the span has no text %q: call read_span without "part" for the texts that it has`, short(in.Part, nameSize))
	}
	w, next := windowOf(texts[i].text, in.Offset, 3*windowSize)
	a := &answer{outline: fmt.Sprintf("The %s of the span: bytes %d to %d of %d.", texts[i].kind, w.From, w.From+len(w.Text), w.Bytes)}
	a.set("span", short(p.ID, idSize))
	a.set("text", w)
	if next > 0 {
		a.more = func(int) ([]more, error) {
			return []more{{What: fmt.Sprintf("the %d bytes after these", w.Bytes-next), Tool: c.tool,
				Arguments: c.again(map[string]any{"offset": next})}}, nil
		}
	}
	return a, nil
}

// afterEnd is how long after the end of a span its messages may begin: a result may arrive with the
// next frame.
const afterEnd = time.Minute

// spanTexts returns the texts of a span, and whether all messages were read that may belong to it.
func spanTexts(ctx context.Context, c *call, s *session, p *placed) (list []textOf, whole bool, err error) {
	if p.Error != nil && *p.Error != "" {
		list = append(list, textOf{part: "error", kind: "error", text: *p.Error})
	}
	q := url.Values{"limit": {"500"}, "since": {p.Started.Add(-time.Second).Format(time.RFC3339Nano)}}
	if s.asOf != nil {
		q.Set("chunks", "1")
	}
	for range transcriptPages {
		var page page[transcript.Message]
		if err := c.Get(ctx, apiclient.SessionPath(s.ID, "transcript"), q, &page); err != nil {
			return nil, false, err
		}
		for i := range page.Items {
			m := &page.Items[i]
			if m.SpanID == p.ID && (s.asOf == nil || cutMessage(m, &moment{at: *s.asOf, isTime: true})) {
				list = append(list, textOf{part: m.ID, kind: m.Kind, text: m.Text, open: !m.Complete})
			}
		}
		last := len(page.Items) - 1
		if page.Next == nil || p.Ended != nil && last >= 0 && page.Items[last].Started.After(p.Ended.Add(afterEnd)) {
			whole = true
			break
		}
		q.Set("cursor", *page.Next)
	}
	if len(p.Attributes) > 0 && string(p.Attributes) != "null" {
		list = append(list, textOf{part: "attributes", kind: "attributes", text: string(p.Attributes)})
	}
	return list, whole, nil
}
