package printers

import (
	"fmt"
	"io"

	"tapedeck/internal/app/command/tapeimport"
	"tapedeck/internal/console"
)

// Imported writes the sessions of a tape file and their number.
func Imported(out io.Writer, sessions []*tapeimport.Session, did string) error {
	w := console.To(out)
	t := console.NewTable(w, "session", "streams", "frames", "bytes", "facts", "notes", "title")
	for _, s := range sessions {
		t.Row(console.Clip(s.ID, 40), s.Streams, console.Thousands(s.Frames), console.Thousands(s.Bytes),
			console.Thousands(s.Facts), console.Thousands(s.Notes), console.Clip(s.Title, 60))
	}
	fmt.Fprintf(w, "%s %s\n", did, console.Count(len(sessions), "session"))
	return t.Flush()
}

// Missing writes what the sessions of an incomplete tape lack; check reports whether the tape was
// only read.
func Missing(out io.Writer, sessions []*tapeimport.Session, check bool) {
	for _, s := range sessions {
		missing(console.To(out), s, check)
	}
}

// missing writes the missing frames of a session on an incomplete tape.
func missing(w io.Writer, to *tapeimport.Session, check bool) {
	what := "facts"
	switch {
	case to.Frames == 0 && to.Missing > 0:
		fmt.Fprintf(w, "note     session %s: none of its frames can be read\n", to.ID)
		return
	case to.Missing > 0:
		what = fmt.Sprintf("its last %s, and facts", console.Count(to.Missing, "frame"))
	case to.Facts > 0:
		return
	}
	next := ""
	if !check {
		next = fmt.Sprintf("; \"tapedeck redecode %s\" derives those of the frames that came",
			console.SessionWord(to.ID))
	}
	fmt.Fprintf(w, "note     session %s lacks %s%s\n", to.ID, what, next)
}

// LostNotes writes which notes of a tape were not restored.
func LostNotes(out io.Writer, sessions []*tapeimport.Session) {
	w := console.To(out)
	for _, s := range sessions {
		if r := s.Restored; r != nil && r.Refused > 0 {
			fmt.Fprintf(w, "note     session %s: %s not restored\n", s.ID, console.Count(r.Refused, "note"))
			for _, reason := range r.Reasons {
				fmt.Fprintf(w, "           %s\n", console.Clip(reason, 300))
			}
		}
	}
}
