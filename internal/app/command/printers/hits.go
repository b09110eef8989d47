package printers

import (
	"fmt"
	"io"
	"strings"
	"time"

	"tapedeck/internal/console"
	"tapedeck/query/search"
)

// Hits writes hits, each with the command that plays the session from the hit on. On a terminal,
// the line that says where a hit is has the terminal's width at most. Matches are in bold type if
// bold is set, as on a terminal.
func Hits(out io.Writer, hits []search.Hit, bold bool) error {
	width := console.TerminalWidth(out)
	for i := range hits {
		h := &hits[i]
		what := h.Kind
		if h.Name != "" {
			what += " " + h.Name
		}
		moment := time.Duration(h.OffsetMS * float64(time.Millisecond)).Truncate(time.Millisecond)
		place := fmt.Sprintf("%s  %s  %s  %s", console.LocalTime(h.At), console.Clip(h.SessionID, 40),
			console.Clip(what, 40), console.Clip(h.SessionTitle, 60))
		_, err := fmt.Fprintf(out, "%s\n  %s\n  tapedeck play --from +%s %s\n", console.CutLine(place, width),
			snippetLine(h.Snippet, bold), moment, console.SessionWord(h.SessionID))
		if err != nil {
			return err
		}
	}
	return nil
}

// ExplainSearch writes why an answer is incomplete or empty, and the flags with which the search goes on.
// filtered is set if flags leave texts out, and continued if the search began at a cursor.
func ExplainSearch(out io.Writer, found *search.Answer, filtered, continued bool) {
	switch {
	case found.Partial:
		text := *found.Reason
		if found.SearchedTo != nil {
			text += " Searched back to " + console.LocalTime(*found.SearchedTo) + "."
		}
		if len(found.Scanned) > 0 {
			text += " The index does not cover " + strings.Join(found.Scanned, ", ") + "."
		}
		if found.Next != nil {
			fmt.Fprintln(console.To(out), text, "Go on with --cursor "+*found.Next+
				", or narrow the search with --from, --to or --session.")
			return
		}
		fmt.Fprintln(console.To(out), text, "Narrow the search with --from, --to or --session.")
	case len(found.Items) == 0 && continued:
		fmt.Fprintln(out, "Nothing more matches.")
	case len(found.Items) == 0 && filtered:
		fmt.Fprintln(out, "Nothing matches with these flags. Leave one out to find more.")
	case len(found.Items) == 0:
		fmt.Fprintln(out, "Nothing matches.")
	case found.Next != nil:
		fmt.Fprintf(out, "There are more: -n 100, or --cursor %s\n", *found.Next)
	}
}

// snippetLine returns a snippet as one line, with matches in bold type.
func snippetLine(parts []search.Part, bold bool) string {
	var b strings.Builder
	for _, p := range parts {
		text := console.Visible(lineEnds.Replace(p.Text), "")
		if p.Match && bold {
			text = "\x1b[1m" + text + "\x1b[0m"
		}
		b.WriteString(text)
	}
	return strings.TrimSpace(b.String())
}

var lineEnds = strings.NewReplacer("\r", " ", "\n", " ", "\t", " ")
