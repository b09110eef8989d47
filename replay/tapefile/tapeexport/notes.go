package tapeexport

import (
	"context"
	"fmt"
	"time"

	"tapedeck/replay/tapefile"
)

// writeNotes writes the notes of the session. Their number is bounded when they are written.
func (f *Session) writeNotes(ctx context.Context, w *tapefile.Writer) error {
	var list []tapefile.Note
	err := f.each(ctx, notes, func(row func(...any) error) error {
		var n tapefile.Note
		var at, written int64
		var version uint64
		err := row(&n.ID, &n.Span, &at, &n.Text, &n.Labels, &n.Thumb, &n.Author, &written, &version)
		if at != 0 {
			moment := time.Unix(0, at).UTC()
			n.At = &moment
		}
		n.Written, n.Changed = time.Unix(0, written).UTC(), time.Unix(0, int64(version)).UTC()
		list = append(list, n)
		return err
	})
	if err != nil {
		return fmt.Errorf("read the notes of session %q: %w", f.id, err)
	}
	return w.Notes(list)
}
