package printers

import (
	"fmt"
	"io"

	"tapedeck/internal/app/command/bisect"
	"tapedeck/internal/console"
)

// Bisection writes the result of a bisection: the sentence, and the sessions.
func Bisection(out io.Writer, b *bisect.Result) error {
	w := console.To(out)
	fmt.Fprintln(w, b.Sentence)
	fmt.Fprintln(w)
	t := console.NewTable(out, "session", "started", "match", "compared with the first")
	for i := range b.Sessions {
		s := &b.Sessions[i]
		mark := "no"
		if s.Does {
			mark = "yes"
		}
		t.Row(console.Clip(s.SessionID, 40), s.Started, mark, console.Clip(s.Sentence, 100))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i := 1; i < len(b.Sessions); i++ {
		if a, s := b.Sessions[i-1], b.Sessions[i]; s.Does && !a.Does {
			fmt.Fprintf(w, "\nCompare it with the session before: tapedeck diff %s %s\n",
				console.SessionWord(a.SessionID), console.SessionWord(s.SessionID))
			break
		}
	}
	return nil
}
