package printers

import (
	"fmt"
	"io"

	"tapedeck/internal/app/command/assert"
	"tapedeck/internal/console"
)

// Assertions writes the result of a check: a line for each assertion, those that failed last.
func Assertions(out io.Writer, r *assert.Result) error {
	w := console.To(out)
	t := console.NewTable(out, "result", "assertion", "expected", "actual", "where")
	for _, passed := range []bool{true, false} {
		for i := range r.Assertions {
			a := &r.Assertions[i]
			if a.Passed != passed {
				continue
			}
			word := "pass"
			if !passed {
				word = "FAIL"
			}
			t.Row(word, a.Name, a.Expected, a.Actual, a.At.Text())
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if failed := r.Failed(); failed > 0 {
		fmt.Fprintf(w, "\n%d of %s failed: %s\n", failed, console.Count(len(r.Assertions), "assertion"), r.Recording)
	} else {
		fmt.Fprintf(w, "\n%s passed: %s\n", console.Count(len(r.Assertions), "assertion"), r.Recording)
	}
	return nil
}
