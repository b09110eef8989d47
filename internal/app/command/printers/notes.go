package printers

import (
	"io"
	"strings"

	"tapedeck/internal/console"
	"tapedeck/query"
	"tapedeck/query/notes"
)

// Notes writes notes, a line each.
func Notes(out io.Writer, list []notes.Note) error {
	t := console.NewTable(out, "id", "session", "moment", "span", "note", "labels", "thumb", "author", "written")
	t.Optional("author", "span", "thumb", "written", "moment", "labels")
	for i := range list {
		n := &list[i]
		t.Row(n.ID, console.Clip(n.Session, 40), TimeOr(n.At, ""), query.Text(n.Span), console.Clip(strings.Join(strings.Fields(n.Text), " "), 60),
			strings.Join(n.Labels, ", "), string(n.Thumb), n.Author, console.LocalTime(n.Written))
	}
	return t.Flush()
}
