package sessionframes

import (
	"context"
	"math"

	"tapedeck/query"
	"tapedeck/schema"
)

// View restricts the frames that a request sees, and their contents.
type View struct {
	From, To int64 // ns; From inclusive, To exclusive; 0 for no bound
	// Masked returns replacement bytes for frames. All frames of a list were read for it.
	Masked func(ctx context.Context, of []FrameID) (map[FrameID][]byte, error)
	// Text masks the secrets in a text.
	Text func(string) string
}

// FrameID identifies a frame of a session.
type FrameID struct {
	Stream string
	Seq    uint64
}

type viewKey struct{}

// WithView returns a context whose requests see frames through a view.
func WithView(ctx context.Context, v *View) context.Context {
	return context.WithValue(ctx, viewKey{}, v)
}

// Shared reports whether a request sees frames through a view, as one by a shared link.
func Shared(ctx context.Context) bool {
	v, _ := ctx.Value(viewKey{}).(*View)
	return v != nil
}

// inSpan adds the span of a request's view to the parameters of a statement. It returns false for a
// request without a span, which sees all frames.
func inSpan(ctx context.Context, a query.Args) (query.Args, bool) {
	from, to, limited := SpanOf(ctx)
	if !limited {
		return a, false
	}
	return a.With("span_from", from).With("span_to", to), true
}

// SpanOf returns the span of a session that a request sees, ns; to is exclusive. limited is false
// if the request sees the whole session.
func SpanOf(ctx context.Context) (from, to int64, limited bool) {
	v, _ := ctx.Value(viewKey{}).(*View)
	if v == nil || v.From == 0 && v.To == 0 {
		return 0, math.MaxInt64, false
	}
	return v.From, v.until(), true
}

// Start returns the time that offsets in a session count from, ns: the session's start, or the
// start of the visible span if that is later.
func Start(ctx context.Context, began int64) int64 {
	from, _, _ := SpanOf(ctx)
	return max(began, from)
}

// until returns the end of the span, ns.
func (v *View) until() int64 {
	if v.To == 0 {
		return math.MaxInt64
	}
	return v.To
}

// viewed returns the rows that the view of a request shows, with masked contents.
func viewed(ctx context.Context, rows []frameRow) ([]frameRow, error) {
	v, _ := ctx.Value(viewKey{}).(*View)
	if v == nil || len(rows) == 0 {
		return rows, nil
	}
	shown := rows[:0]
	var of []FrameID
	for i := range rows {
		if row := rows[i]; (v.From == 0 || row.At >= v.From) && (v.To == 0 || row.At < v.To) {
			shown = append(shown, row)
			of = append(of, FrameID{row.Stream, row.Seq})
		}
	}
	masked, err := v.Masked(ctx, of)
	if err != nil {
		return nil, err
	}
	for i := range shown {
		row := &shown[i]
		if raw, is := masked[FrameID{row.Stream, row.Seq}]; is {
			row.Raw = string(raw)
			row.Flags |= uint32(schema.FlagRedacted)
		}
		row.Type, row.Agent, row.Event = v.Text(row.Type), v.Text(row.Agent), v.Text(row.Event)
	}
	return shown, nil
}
