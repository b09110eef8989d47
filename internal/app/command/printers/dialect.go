package printers

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"tapedeck/ingest/explain"
	"tapedeck/internal/console"
)

// Became describes the facts that were derived from a frame.
func Became(l *explain.Line) string {
	switch {
	case len(l.Became) > 0:
		return console.Line(strings.Join(l.Became, "; "))
	case l.NotJSON:
		return "nothing: it is not JSON"
	case len(l.Missing) > 0:
		return console.Clip("nothing: no value at "+strings.Join(l.Missing, ", "), 200)
	case l.Unknown:
		return "nothing: no rule is for it"
	case l.Empty:
		return "nothing: it has no message"
	}
	return "nothing"
}

func DialectTotals(w io.Writer, all *explain.Totals) {
	runs := uint64(0)
	var states []string
	for _, status := range slices.Sorted(maps.Keys(all.Runs)) {
		if n := all.Runs[status]; n > 0 {
			runs += n
			states = append(states, fmt.Sprintf("%d %s", n, status))
		}
	}
	fmt.Fprintf(w, "%s: %s", console.Count(all.Frames, "frame"), console.Count(runs, "run"))
	if len(states) > 0 {
		fmt.Fprintf(w, " (%s)", strings.Join(states, ", "))
	}
	fmt.Fprintf(w, ", %s, %s, text %s, thinking %s\n", console.Count(all.Calls, "model call"),
		console.Count(all.Tools, "tool call"),
		console.Count(all.Text, "character"), console.Count(all.Thinking, "character"))
	tokens := "–, no usage was found"
	if n := all.Tokens; all.Reports > 0 {
		tokens = fmt.Sprintf("input %s, cache read %s, cache write %s, output %s, reasoning %s, total %s",
			console.Thousands(n.Input), console.Thousands(n.CacheRead),
			console.Thousands(n.CacheWrite5m+n.CacheWrite1h), console.Thousands(n.Output), console.Thousands(n.Reasoning), console.Thousands(n.Sum()))
	}
	fmt.Fprintf(w, "tokens      %s\n", tokens)
	if all.NotJSON > 0 {
		fmt.Fprintf(w, "note        %s not JSON\n", AreFrames(all.NotJSON))
	}
	for _, typ := range slices.Sorted(maps.Keys(all.Unmatched)) {
		fmt.Fprintf(w, "no rule for %s: %s\n", console.Clip(cmp.Or(typ, "frames without a type"), 60),
			console.Count(all.Unmatched[typ], "frame"))
	}
}
