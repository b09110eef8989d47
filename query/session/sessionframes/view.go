package sessionframes

import (
	"context"
	"math"

	"tapedeck/query"
	"tapedeck/schema"
)

// View restricts the frames that a request sees, and what they hold.
type View struct {
	From, To int64 // ns; frames before From and from To on are left out; 0 for no bound
	// Masked returns other bytes for frames, by their positions.
	Masked func(context.Context) (map[schema.Position][]byte, error)
}

type viewKey struct{}

// WithView returns a context whose requests see frames through a view.
func WithView(ctx context.Context, v *View) context.Context {
	return context.WithValue(ctx, viewKey{}, v)
}

// inSpan adds the span of a request's view to the parameters of a statement. It reports false for a
// request without one, which sees all frames.
func inSpan(ctx context.Context, a query.Args) (query.Args, bool) {
	from, to, limited := SpanOf(ctx)
	if !limited {
		return a, false
	}
	return a.With("span_from", from).With("span_to", to), true
}

// SpanOf returns the span that a request sees of a session, ns, to excluded. limited is false if it
// sees all of it.
func SpanOf(ctx context.Context) (from, to int64, limited bool) {
	v, _ := ctx.Value(viewKey{}).(*View)
	if v == nil || v.From == 0 && v.To == 0 {
		return 0, math.MaxInt64, false
	}
	return v.From, v.until(), true
}

// Start returns the time from which a request's offsets in a session count, ns: when the session
// began, or the begin of the span that the request sees if that is later.
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

// viewed returns the rows that the view of a request shows, as it shows them.
func viewed(ctx context.Context, rows []frameRow) ([]frameRow, error) {
	v, _ := ctx.Value(viewKey{}).(*View)
	if v == nil || len(rows) == 0 {
		return rows, nil
	}
	masked, err := v.Masked(ctx)
	if err != nil {
		return nil, err
	}
	shown := rows[:0]
	for i := range rows {
		row := rows[i]
		if v.From != 0 && row.At < v.From || v.To != 0 && row.At >= v.To {
			continue
		}
		if raw, is := masked[row.position()]; is {
			row.Raw = string(raw)
			row.Flags |= uint32(schema.FlagRedacted)
		}
		shown = append(shown, row)
	}
	return shown, nil
}
