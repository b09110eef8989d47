package printers

import (
	"fmt"
	"io"

	"tapedeck/internal/app/lifecycle/backup"
	"tapedeck/internal/console"
)

// Backup writes the contents of a finished backup.
func Backup(out io.Writer, st *backup.Status) {
	m := st.Manifest
	fmt.Fprintf(out, "backup %s: %s of %s, %s on %s\n", st.To, console.Count(m.Frames, "frame"),
		console.Count(m.Sessions, "session"),
		console.Bytes(st.Progress.Bytes), console.LocalTime(m.SnapshotAt))
	if n := m.Coverage.Unstored; n > 0 {
		fmt.Fprintf(out, "note: %s that were acknowledged before it began are not in it: the sink had not "+
			"stored them within --drain\n", console.Count(n, "message"))
	}
}

// Backups writes a list of backups.
func Backups(out io.Writer, list []backup.Status) error {
	t := console.NewTable(out, "started", "backup", "base", "state", "sessions", "frames", "bytes", "error")
	for i := range list {
		b := &list[i]
		sessions, frames := "", ""
		if b.Manifest != nil {
			sessions, frames = fmt.Sprint(b.Manifest.Sessions), fmt.Sprint(b.Manifest.Frames)
		}
		t.Row(console.LocalTime(b.StartedAt), b.To, b.Base, string(b.State), sessions, frames,
			console.Bytes(b.Progress.Bytes), b.Error)
	}
	return t.Flush()
}

// Restored writes what was restored or verified; what names which of the two.
func Restored(out io.Writer, r *backup.Restored, what string) {
	m := r.Manifest
	fmt.Fprintf(out, "%s: %s of %s, as of %s; every session is as it was backed up\n", what,
		console.Count(m.Frames, "frame"), console.Count(m.Sessions, "session"), console.LocalTime(m.SnapshotAt))
	if r.Erasures != nil {
		fmt.Fprintf(out, "%s of %s are hidden, and removed when the server runs\n",
			console.Count(r.Erasures.Tombstones, "later erasure"), r.Erasures.From)
	}
}
