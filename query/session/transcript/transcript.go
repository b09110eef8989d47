// Package transcript reads the messages of a session.
package transcript

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/messagemerge"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/session/sessionframes"
	"tapedeck/schema"
)

var statements = query.Statements("session/transcript")

// Message is one message of a session.
type Message struct {
	ID       string     `json:"id"`
	Kind     string     `json:"kind"` // system, user, assistant, thinking, tool_arguments …
	Text     string     `json:"text"`
	Media    string     `json:"media"` // type of Text: text, json, or a media type
	Started  time.Time  `json:"started"`
	StartMS  float64    `json:"start_ms"` // since the session's start
	Ended    *time.Time `json:"ended"`    // arrival of the last chunk so far
	Complete bool       `json:"complete"` // the text will not grow
	Position string     `json:"position"` // position of the first frame of the message
	Name     string     `json:"name"`     // name of the tool, for tool messages
	SpanID   string     `json:"span_id"`
	RunID    string     `json:"run_id"`
	NodeID   string     `json:"node_id"`
	Agent    string     `json:"agent"`
	// Attributes is a JSON object; null if there are none.
	Attributes json.RawMessage `json:"attributes"`
	Chunks     *Chunks         `json:"chunks,omitempty"`
}

// Chunks describe how a text grew: OffsetMS[i] after the session's start the text was End[i] bytes
// of UTF-8 long.
type Chunks struct {
	OffsetMS []float64 `json:"offset_ms"`
	End      []uint32  `json:"end"`
}

// Query selects messages of a session.
type Query struct {
	Tenant, Session string
	Chunks          bool // record how the texts grew
	// Since, unless zero, selects the messages that may have changed since then: incomplete
	// messages, and messages to which something was added then or later.
	Since  time.Time
	Limit  int // messages on a page, at least 1
	Cursor string
}

// transcriptBytes is the approximate maximum of text on a page.
const transcriptBytes = 16 << 20

// Read returns a page of a session's messages, ordered by start.
func Read(ctx context.Context, r *query.Reader, q Query) (*query.Page[Message], error) {
	after, err := query.ParseMark("transcript", q.Cursor)
	if err != nil {
		return nil, err
	}
	s, err := sessionstreams.Find(ctx, r, q.Tenant, q.Session)
	if err != nil {
		return nil, err
	}
	views, err := query.Ask[messagemerge.View](ctx, r, statements, "messages_index", s,
		sessionstreams.Parameters(q.Tenant, s))
	if err != nil {
		return nil, err
	}
	index := messagemerge.Merge(views)
	if from, to, limited := sessionframes.SpanOf(ctx); limited { // a text cannot be clipped by time
		index = slices.DeleteFunc(index, func(m messagemerge.View) bool {
			return min(m.SeenAt, m.Started) < from || max(m.SeenAt, m.Started, m.Ended) >= to
		})
	}
	if !q.Since.IsZero() {
		since := q.Since.UnixNano()
		index = slices.DeleteFunc(index, func(m messagemerge.View) bool {
			return m.Complete && max(m.Started, m.Ended) < since
		})
	}
	if after != nil {
		index = index[skipTo(index, after):]
	}
	n, size := 0, uint64(0)
	for n < len(index) && n < q.Limit && (n == 0 || size+index[n].Size <= transcriptBytes) {
		size += index[n].Size
		n++
	}
	page := &query.Page[Message]{}
	if n < len(index) {
		page.Next = query.Mark{List: "transcript", Key: index[n-1].Started, ID: index[n-1].ID}.Cursor()
	}
	page.Items, err = readMessages(ctx, r, q, s, index[:n])
	return page, err
}

// skipTo returns the index at which the list continues after the mark: after the marked message,
// or, if that message no longer exists, at the first message that started later.
func skipTo(index []messagemerge.View, after *query.Mark) int {
	if i := slices.IndexFunc(index, func(m messagemerge.View) bool { return m.ID == after.ID }); i >= 0 {
		return i + 1
	}
	i := slices.IndexFunc(index, func(m messagemerge.View) bool { return m.Started > after.Key })
	if i < 0 {
		return len(index)
	}
	return i
}

type messageRow struct {
	ID         string   `ch:"message_id"`
	Stream     string   `ch:"stream_id"`
	SeenSeq    uint64   `ch:"seen_seq"`
	Kind       string   `ch:"kind"`
	Span       string   `ch:"span_id"`
	Name       string   `ch:"name"`
	Text       string   `ch:"text"`
	Media      string   `ch:"media"`
	Run        string   `ch:"run_id"`
	Node       string   `ch:"node_id"`
	Agent      string   `ch:"agent"`
	Attributes string   `ch:"attributes"`
	ChunkAt    []int64  `ch:"chunk_at"`
	ChunkEnd   []uint32 `ch:"chunk_end"`
}

// readMessages returns the messages of the index with their texts.
func readMessages(
	ctx context.Context, r *query.Reader, q Query, s *sessionstreams.Row, index []messagemerge.View,
) ([]Message, error) {
	items := make([]Message, 0, len(index))
	if len(index) == 0 {
		return items, nil
	}
	ids := make([]string, len(index))
	for i := range index {
		ids[i] = index[i].ID
	}
	rows, err := query.Ask[messageRow](ctx, r, statements, "messages",
		struct{ Chunks, Original bool }{q.Chunks, s.Original},
		sessionstreams.Parameters(q.Tenant, s).With("messages", ids))
	if err != nil {
		return nil, err
	}
	type view struct {
		id, stream string
		seq        uint64
	}
	found := make(map[view]*messageRow, len(rows))
	for i := range rows {
		found[view{rows[i].ID, rows[i].Stream, rows[i].SeenSeq}] = &rows[i]
	}
	start := sessionframes.Start(ctx, s.Started)
	for i := range index {
		// A message that was deleted since the index was read is left out.
		if row := found[view{index[i].ID, index[i].Stream, index[i].SeenSeq}]; row != nil {
			items = append(items, messageOf(&index[i], row, start, q.Chunks))
		}
	}
	return items, nil
}

func messageOf(v *messagemerge.View, row *messageRow, from int64, chunks bool) Message {
	m := Message{
		ID: v.ID, Kind: row.Kind, Text: row.Text, Media: row.Media, Started: query.Instant(v.Started),
		StartMS: query.Millis(v.Started - from), Ended: query.KnownInstant(v.Ended), Complete: v.Complete,
		Position: schema.Position{At: v.SeenAt, StreamID: v.Stream, Seq: v.SeenSeq}.String(),
		Name:     row.Name, SpanID: row.Span, RunID: row.Run, NodeID: row.Node, Agent: row.Agent,
		Attributes: query.RawJSON(row.Attributes),
	}
	if !chunks {
		return m
	}
	if len(row.ChunkAt) == 0 { // the message arrived in one piece
		row.ChunkAt, row.ChunkEnd = []int64{v.Started}, []uint32{uint32(len(row.Text))}
	}
	m.Chunks = &Chunks{OffsetMS: make([]float64, len(row.ChunkAt)), End: row.ChunkEnd}
	for i, at := range row.ChunkAt {
		m.Chunks.OffsetMS[i] = query.Millis(at - from)
	}
	return m
}
