package printers

import (
	"io"
	"strings"

	"tapedeck/internal/console"
	"tapedeck/query/session/sessionframes"
)

// FrameTable is a list of frames.
type FrameTable struct {
	rows    [][]any
	streams map[string]bool
}

// Add adds a frame.
func (t *FrameTable) Add(f *sessionframes.Frame) {
	if t.streams == nil {
		t.streams = map[string]bool{}
	}
	t.streams[f.StreamID] = true
	t.rows = append(t.rows, []any{
		shortStream(f.StreamID), "+" + console.Millis(f.OffsetMS), f.Seq, f.Direction, f.Type, f.NodeID, f.EventID,
		console.Thousands(f.Size), strings.Join(f.Flags, ","), console.Clip(content(f), 80),
	})
}

// Write writes the list. For a single stream it leaves out the column of streams.
func (t *FrameTable) Write(out io.Writer) error {
	heads, first := []string{"stream", "offset", "seq", "direction", "type", "node", "event id", "bytes", "flags",
		"content"}, 0
	if len(t.streams) == 1 {
		first = 1 // the column would be the same in every row
	}
	table := console.NewTable(out, heads[first:]...)
	table.Optional("event id", "node", "direction", "flags")
	for _, row := range t.rows {
		table.Row(row[first:]...)
	}
	return table.Flush()
}

// shortStream returns the end of a stream's id, which distinguishes the streams of a session.
func shortStream(id string) string { return "…" + id[max(0, len(id)-8):] }

func content(f *sessionframes.Frame) string {
	switch {
	case f.JSON != nil:
		return string(f.JSON)
	case f.Text != nil:
		return *f.Text
	case f.Base64 != nil:
		return "base64 " + *f.Base64
	}
	return ""
}
