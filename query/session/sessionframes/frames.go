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

// Frame is one frame with its envelope. Of Frame, Text and Base64 one is there.
type Frame struct {
	Position   string    `json:"position"`
	OffsetMS   float64   `json:"offset_ms"` // from the session's start
	CapturedAt time.Time `json:"captured_at"`
	StreamID   string    `json:"stream_id"`
	Seq        uint64    `json:"seq"`
	Direction  string    `json:"direction"`
	Transport  string    `json:"transport"`
	Dialect    string    `json:"dialect"`
	Type       string    `json:"type"`
	SessionID  string    `json:"session_id"` // as the frame itself names it
	RunID      string    `json:"run_id"`
	NodeID     string    `json:"node_id"`
	EventID    string    `json:"event_id"`
	Agent      string    `json:"agent"`
	Flags      []string  `json:"flags"`
	Size       int       `json:"size"` // raw bytes, the transport's framing included
	Payload
}

// Payload returns the bytes of a frame without the framing of its transport. A frame without a
// payload (a comment, a blank line) is returned whole.
type Payload struct {
	JSON   json.RawMessage `json:"frame,omitempty"`  // a message that is JSON
	Text   *string         `json:"text,omitempty"`   // one that is other text
	Base64 *string         `json:"base64,omitempty"` // one that is not UTF-8
}

// Query asks for frames of a session, after a position.
type Query struct {
	Tenant, Session string
	Filter
	After schema.Position // the zero position stands for the start
	Limit int             // frames on a page, at least 1
}

// pageBytes is about how many raw bytes a page of frames holds at most.
const pageBytes = 16 << 20

// Read returns a page of a session's frames; its cursor is a position.
func Read(ctx context.Context, r *query.Reader, q Query) (*query.Page[Frame], error) {
	s, err := sessionstreams.Find(ctx, r, q.Tenant, q.Session)
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

// frameCopies is the number of copies of a frame's bytes that a page holds: as read, as
// the payload, and in the encoded answer, whose buffer grows.
const frameCopies = 4

// pageCost returns what a page of rows is charged before their sizes are known. A page
// has at most most bytes, unless a single frame has more.
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

// payload is made as replay's messages are, so that both say the same.
func (f *frameRow) payload() Payload {
	raw := []byte(f.Raw)
	frame := schema.Frame{Seq: f.Seq, Flags: schema.Flags(f.Flags), Raw: raw}
	if transport, err := schema.ParseTransport(f.Transport); err == nil {
		frame.Transport = transport
	} else {
		frame.Transport = schema.HTTP // of a later version than this program: shown as it is
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

// nameDialects fills in the frames' dialects, which their streams know.
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
