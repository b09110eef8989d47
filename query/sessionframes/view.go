package sessionframes

import (
	"context"

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
