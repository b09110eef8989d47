package printers

import (
	"io"

	"tapedeck/ingest/delivery/deadletters"
	"tapedeck/internal/console"
)

// DeadLetters writes blocks that could not be stored, with the reason.
func DeadLetters(out io.Writer, list []deadletters.Letter) error {
	t := console.NewTable(out, "seq", "set aside", "tenant", "session", "frames", "bytes", "tries", "reason")
	for _, l := range list {
		session := l.Session
		if session == "" {
			session = "-"
		}
		t.Row(l.Seq, console.LocalTime(l.At), l.Tenant, console.Clip(session, 40), l.Frames, l.Bytes, l.Tries,
			console.Clip(l.Reason, 100))
	}
	return t.Flush()
}
