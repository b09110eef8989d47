package printers

import (
	"io"

	"tapedeck/internal/app/lifecycle/erasure"
	"tapedeck/internal/console"
)

// Erasures writes a list of erasures.
func Erasures(out io.Writer, list []erasure.Answer) error {
	t := console.NewTable(out, "id", "tenant", "of", "sessions", "requested", "by", "state", "waits for")
	for i := range list {
		e := &list[i]
		of, shown := string(e.Kind), string(e.State)
		if e.Tag != "" {
			of += " " + e.Tag
		}
		if e.Overdue {
			shown += " (overdue)"
		}
		t.Row(e.ID, e.Tenant, of, e.Found.Sessions, console.LocalTime(e.RequestedAt), console.Clip(e.RequestedBy, 30),
			shown, console.Clip(e.WaitsFor, 80))
	}
	return t.Flush()
}
