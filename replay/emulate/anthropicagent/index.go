package anthropicagent

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/valyala/fastjson"

	"tapedeck/internal/problem"
	"tapedeck/replay"
	"tapedeck/replay/emulate"
	"tapedeck/schema"
)

// The dialects that are served.
const (
	own      = "anthropic-agent"
	messages = "anthropic-messages"
)

// connection is the recorded answer to one request.
type connection struct {
	streams     []string
	first, last schema.Position
	asked       int64 // when the clock starts, ns
	whole       bool  // the connection ended normally
	abandoned   bool  // the recorded client disconnected before the end
	done        bool  // the recording has [DONE]
	from        *conversion
}

// conversion holds the data, besides the frames, that the envelopes of a converted connection need.
type conversion struct {
	agent, query, model string
}

// index lists a session's recorded connections.
type index struct {
	list []*connection
	// refused is the reason why nothing can be played, else nil.
	refused *problem.Problem
}

// read builds the index of a session.
func read(session string) func(context.Context, replay.Tape) (*index, error) {
	return func(ctx context.Context, t replay.Tape) (*index, error) {
		has := func(dialect string) bool {
			return slices.ContainsFunc(t.Streams(), func(s schema.StreamState) bool { return s.Dialect == dialect })
		}
		b := &index{}
		switch {
		case has(own):
			return b, b.readOwn(ctx, t)
		case has(messages):
			return b, b.readMessages(ctx, t, session)
		}
		spoken := map[string]bool{}
		var names []string
		for _, s := range t.Streams() {
			if !spoken[s.Dialect] {
				spoken[s.Dialect] = true
				names = append(names, s.Dialect)
			}
		}
		b.refuse(fmt.Sprintf("it uses %q, which envelopes cannot represent completely", names))
		return b, nil
	}
}

func (b *index) refuse(why string) {
	if b.refused == nil {
		b.refused = &problem.Problem{
			Title: "Not convertible without loss", Status: http.StatusConflict,
			Detail: "This session cannot be played as anthropic_agent's: " + why + ".",
			Hint:   "Play it in its own protocol: at the path where it was recorded, or with /v1/sessions/{id}/replay.",
		}
	}
}

// readOwn finds the recorded connections to an anthropic_agent server.
func (b *index) readOwn(ctx context.Context, t replay.Tape) error {
	open := map[string]*connection{}
	var buf []byte
	err := emulate.Scan(ctx, t, replay.Query{Bare: true}, func(f *replay.Frame) error {
		if f.Stream.Dialect != own || f.Direction == schema.Send || f.Transport == schema.HTTP {
			return nil
		}
		id := f.Stream.StreamID
		c := open[id]
		if c == nil {
			if f.Flags.Has(schema.FlagNote) {
				return nil // between connections
			}
			c = &connection{streams: []string{id}, first: f.Position(), asked: f.At}
			open[id] = c
			b.list = append(b.list, c)
		}
		c.last = f.Position()
		var content schema.Content
		content, buf = schema.Unframe(&f.Frame, buf)
		if string(content.Data) == doneMarker {
			c.done, c.whole = true, true
			delete(open, id)
		}
		return nil
	})
	for id, c := range open {
		s := replay.StreamOf(t, id)
		c.whole, c.abandoned = s.Complete(), s.Abandoned()
	}
	return err
}

const doneMarker = "[DONE]"

// readMessages finds the conversations in the calls of a model, and the content that envelopes
// cannot represent.
func (b *index) readMessages(ctx context.Context, t replay.Tape, session string) error {
	var c *connection // in progress
	var asked int64   // the latest unanswered request
	var query string
	busy := ""                  // the stream whose message is open
	others := map[string]bool{} // streams of requests that call no model
	var p fastjson.Parser
	var buf []byte
	err := emulate.Scan(ctx, t, replay.Query{Bare: true}, func(f *replay.Frame) error {
		if f.Stream.Dialect != messages || others[f.Stream.StreamID] {
			return nil
		}
		if f.Flags.Has(schema.FlagNote) {
			if f.Direction == schema.Send && f.Transport == schema.HTTP && !callsModel(f.Raw) {
				others[f.Stream.StreamID] = true
			}
			return nil
		}
		var content schema.Content
		content, buf = schema.Unframe(&f.Frame, buf)
		v, err := p.ParseBytes(content.Data)
		if content.Empty || err != nil {
			return nil
		}
		if f.Direction == schema.Send {
			asked = f.At
			if q := queryOf(v); q != "" {
				query = q
			}
			if c != nil && len(toolResults(v)) > 0 {
				c.add(f)
			}
			return nil
		}
		switch kind := text(v, "type"); kind {
		case "message_start":
			if busy != "" {
				b.refuse("calls of the model overlap, and nothing shows whose text is whose")
			}
			busy = f.Stream.StreamID
			if c == nil {
				c = &connection{first: f.Position(), asked: f.At, whole: true, from: &conversion{
					agent: uuid.NewSHA1(uuid.NameSpaceURL, []byte(session)).String(),
					query: query, model: text(v, "message", "model"),
				}}
				if asked > 0 {
					c.asked = asked
				}
				b.list = append(b.list, c)
			}
			asked, query = 0, ""
		case "content_block_start":
			if block := text(v, "content_block", "type"); !known(block) {
				b.refuse(fmt.Sprintf("envelopes cannot represent a block of type %q", block))
			}
		case "content_block_delta":
			if delta := text(v, "delta", "type"); !deltas[delta] {
				b.refuse(fmt.Sprintf("envelopes cannot represent a %q", delta))
			}
		case "message", "error":
			if kind == "message" {
				b.refuse("an answer came as a whole, without a stream")
			}
		case "content_block_stop", "message_delta", "message_stop", "ping":
		default:
			b.refuse(fmt.Sprintf("envelopes cannot represent a frame of type %q", kind))
		}
		if c != nil {
			c.add(f)
			if text(v, "type") == "message_delta" && text(v, "delta", "stop_reason") != "" {
				c.done = !goesOn[text(v, "delta", "stop_reason")]
			}
		}
		if kind := text(v, "type"); kind == "message_stop" || kind == "error" {
			busy = ""
			if c != nil && (c.done || kind == "error") {
				c.done, c = false, nil // [DONE] is not among the frames
			}
		}
		return nil
	})
	if busy != "" && len(b.list) > 0 {
		b.list[len(b.list)-1].whole = false
	}
	return err
}

// callsModel reports whether the request with this head calls a model. Requests that read (models,
// batches), count tokens or start a batch do not, and have nothing that envelopes contain.
func callsModel(head []byte) bool {
	method, rest, _ := strings.Cut(string(head), " ")
	target, _, _ := strings.Cut(rest, " ")
	path, _, _ := strings.Cut(target, "?")
	return method == http.MethodPost && !strings.HasSuffix(path, "/messages/count_tokens") &&
		!strings.Contains(path, "/count-tokens:") && !strings.Contains(path, "/messages/batches")
}

// goesOn lists the stop reasons after which the agent calls the model again.
var goesOn = map[string]bool{"tool_use": true, "pause_turn": true}

// add appends a frame to the connection.
func (c *connection) add(f *replay.Frame) {
	c.last = f.Position()
	if !slices.Contains(c.streams, f.Stream.StreamID) {
		c.streams = append(c.streams, f.Stream.StreamID)
	}
}

// has reports whether a frame belongs to the connection, or contains content for it.
func (c *connection) has(f *replay.Frame) bool {
	switch {
	case !slices.Contains(c.streams, f.Stream.StreamID):
		return false
	case c.from == nil:
		return f.Direction == schema.Receive && f.Transport != schema.HTTP
	}
	return !f.Flags.Has(schema.FlagNote)
}
