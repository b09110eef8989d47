// Package sessionframes reads the frames of a session: pages, an index, counts by type and density
// over time.
package sessionframes

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"time"
	"unicode/utf8"

	"tapedeck/internal/budget"
	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/schema"
)

var statements = query.Statements("session/sessionframes")

// Frame is one frame with its envelope. Exactly one of Frame, Text and Base64 is set.
type Frame struct {
	Position   string    `json:"position"`
	OffsetMS   float64   `json:"offset_ms"` // since the session's start
	CapturedAt time.Time `json:"captured_at"`
	StreamID   string    `json:"stream_id"`
	Seq        uint64    `json:"seq"`
	Direction  string    `json:"direction"`
	Transport  string    `json:"transport"`
	Dialect    string    `json:"dialect"`
	Type       string    `json:"type"`
	SessionID  string    `json:"session_id"` // session id in the frame itself
	RunID      string    `json:"run_id"`
	NodeID     string    `json:"node_id"`
	EventID    string    `json:"event_id"`
	Agent      string    `json:"agent"`
	Flags      []string  `json:"flags"`
	Size       int       `json:"size"` // raw bytes, including the transport's framing
	Payload
}

// Payload returns the bytes of a frame without the framing of its transport. A frame without a
// payload (a comment, a blank line) is returned whole.
type Payload struct {
	JSON   json.RawMessage `json:"frame,omitempty"`  // payload that is JSON
	Text   *string         `json:"text,omitempty"`   // payload that is other text
	Base64 *string         `json:"base64,omitempty"` // payload that is not UTF-8
}

// Query selects frames of a session after a position.
type Query struct {
	Tenant, Session string
	Filter
	After schema.Position // the zero position is the start
	Limit int             // frames on a page, at least 1
}

// pageBytes is the approximate maximum of raw bytes on a page of frames.
const pageBytes = 16 << 20

// Read returns a page of a session's frames; the cursor of a page is a position.
func Read(ctx context.Context, r *query.Reader, q Query) (*query.Page[Frame], error) {
	s, err := sessionstreams.Kept(ctx, r, q.Tenant, q.Session)
	if err != nil {
		return nil, err
	}
	start := Start(ctx, s.Started)
	w := newWindows(q.Tenant, r, s, &q.Filter, q.After)
	w.rows, w.bytes = q.Limit+1, pageBytes
	page := &query.Page[Frame]{Items: []Frame{}}
	grant := budget.Of(ctx)
	charged := pageCost(s, q.Limit+1, pageBytes)
	if err := grant.Need(ctx, charged); err != nil {
		return nil, err
	}
	size, read := 0, 0
	for !w.done {
		limit := q.Limit + 1 - len(page.Items)
		a, err := w.next(ctx, limit)
		if err != nil {
			return nil, err
		}
		rows, err := query.Ask[frameRow](ctx, r, statements, "frames", w.shape, a)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			read += len(rows[i].Raw)
		}
		grant.Adjust(max(frameCopies*int64(read), charged) - charged)
		charged = max(charged, frameCopies*int64(read))
		var last schema.Position
		if len(rows) > 0 {
			last = rows[len(rows)-1].position()
		}
		whole := len(rows) == limit
		if rows, err = viewed(ctx, rows); err != nil {
			return nil, err
		}
		for i := range rows {
			if len(page.Items) == q.Limit || len(page.Items) > 0 && size+len(rows[i].Raw) > pageBytes {
				page.Next = &page.Items[len(page.Items)-1].Position
				return page, nameDialects(ctx, r, &q, page.Items)
			}
			size += len(rows[i].Raw)
			page.Items = append(page.Items, rows[i].frame(start))
		}
		w.read(a, last, whole)
	}
	return page, nameDialects(ctx, r, &q, page.Items)
}

// frameCopies is the number of copies of a frame's bytes that a page holds in memory: the bytes as
// read, the payload, and the encoded answer, whose buffer grows.
const frameCopies = 4

// pageCost returns the memory that a page of rows reserves before the sizes of its rows are known.
// A page has at most most bytes, unless a single frame is larger.
func pageCost(s *sessionstreams.Row, rows, most int) int64 {
	average := s.Bytes / max(s.Frames, 1)
	return frameCopies * int64(max(min(uint64(rows)*average, s.Bytes, uint64(most)), min(average, s.Bytes)))
}

type frameRow struct {
	Stream    string `ch:"stream_id"`
	Seq       uint64 `ch:"seq"`
	At        int64  `ch:"at_ns"`
	Transport string `ch:"transport_name"`
	Raw       string `ch:"raw"`
	Direction string `ch:"direction_name"`
	Flags     uint32 `ch:"flags"`
	Type      string `ch:"type"`
	Session   string `ch:"source_session"`
	Run       string `ch:"run_id"`
	Node      string `ch:"node_id"`
	Agent     string `ch:"agent"`
	Event     string `ch:"event_id"`
}

func (f *frameRow) position() schema.Position {
	return schema.Position{At: f.At, StreamID: f.Stream, Seq: f.Seq}
}

func (f *frameRow) frame(from int64) Frame {
	return Frame{
		Position: f.position().String(), OffsetMS: query.Millis(f.At - from), CapturedAt: query.Instant(f.At),
		StreamID: f.Stream, Seq: f.Seq, Direction: f.Direction, Transport: f.Transport, Type: f.Type,
		SessionID: f.Session, RunID: f.Run, NodeID: f.Node, EventID: f.Event, Agent: f.Agent,
		Flags: schema.Flags(f.Flags).Names(), Size: len(f.Raw), Payload: f.payload(),
	}
}

// payload returns the frame's payload, in the same form as replay's messages.
func (f *frameRow) payload() Payload {
	raw := []byte(f.Raw)
	frame := schema.Frame{Seq: f.Seq, Flags: schema.Flags(f.Flags), Raw: raw}
	if transport, err := schema.ParseTransport(f.Transport); err == nil {
		frame.Transport = transport
	} else {
		frame.Transport = schema.HTTP // recorded by a later version of the program: show the raw bytes
	}
	c, _ := schema.Unframe(&frame, nil)
	data := c.Data
	if c.Empty {
		data = raw
	}
	switch {
	case !utf8.Valid(data) || frame.Flags.Has(schema.FlagBinary):
		text := base64.StdEncoding.EncodeToString(data)
		return Payload{Base64: &text}
	case !c.Empty && frame.Flags&(schema.FlagNotJSON|schema.FlagTooDeep) == 0 && json.Valid(data):
		return Payload{JSON: data}
	}
	text := string(data)
	return Payload{Text: &text}
}

type dialectRow struct {
	Stream  string `ch:"stream_id"`
	Dialect string `ch:"dialect_name"`
}

// nameDialects sets the dialects of frames from their streams.
func nameDialects(ctx context.Context, r *query.Reader, q *Query, frames []Frame) error {
	dialects := map[string]string{}
	var streams []string
	for i := range frames {
		if _, ok := dialects[frames[i].StreamID]; !ok {
			dialects[frames[i].StreamID] = ""
			streams = append(streams, frames[i].StreamID)
		}
	}
	if len(streams) == 0 {
		return nil
	}
	rows, err := query.Ask[dialectRow](ctx, r, statements, "frame_dialects", nil,
		query.Args{"tenant": q.Tenant, "sessions": []string{q.Session}, "streams": streams})
	if err != nil {
		return err
	}
	for _, row := range rows {
		dialects[row.Stream] = row.Dialect
	}
	for i := range frames {
		frames[i].Dialect = dialects[frames[i].StreamID]
	}
	return nil
}
