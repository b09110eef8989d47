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

// missing writes what an incomplete tape lacks of a session. The server may have it from before.
func missing(w io.Writer, to *tapeimport.Session, check bool) {
	what := "facts"
	switch {
	case to.Frames == 0 && to.Missing > 0:
		fmt.Fprintf(w, "note     none of the frames of session %s on the tape can be read\n", to.ID)
		return
	case to.Missing > 0:
		what = fmt.Sprintf("the last %s, and facts,", console.Count(to.Missing, "frame"))
	case to.Facts > 0:
		return
	}
	next := ""
	if !check {
		next = fmt.Sprintf("; unless the server has all of it, \"tapedeck redecode %s\" derives the facts of the frames that came",
			console.SessionWord(to.ID))
	}
	fmt.Fprintf(w, "note     the tape lacks %s of session %s%s\n", what, to.ID, next)
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
