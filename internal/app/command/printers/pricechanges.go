package printers

import (
	"fmt"
	"io"
	"strings"

	"tapedeck/internal/console"
	"tapedeck/query/report/pricelist"
)

// PriceChanges writes the changes of a price file, and to notes its probable errors.
func PriceChanges(w, notes io.Writer, c *pricelist.Comparison) error {
	for _, w := range c.Warnings {
		line := "warning: " + w.Field + ": " + w.Detail
		if len(w.Nearest) > 0 {
			line += "; nearest are " + strings.Join(w.Nearest, ", ")
		}
		fmt.Fprintln(console.To(notes), line)
	}
	out := console.To(w)
	for _, r := range c.Rules {
		fmt.Fprintf(out, "%s: %s %s\n", r.Section, r.Name, r.Change)
	}
	if len(c.Changes) > 0 {
		t := console.NewTable(w, "provider", "model", "unit", "before", "after")
		for _, p := range c.Changes {
			t.Row(p.Provider, p.Model, p.Key, orNone(p.Before), orNone(p.After))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if c.More > 0 {
		fmt.Fprintf(out, "and %s\n", console.Count(c.More, "other price"))
	}
	switch {
	case c.Before == c.Hash:
		fmt.Fprintln(out, "The file changes nothing.")
	case c.DryRun:
		fmt.Fprintf(out, "The file is valid. It would make the table %s, in %s.\n", c.Hash, c.Currency)
	default:
		fmt.Fprintf(out, "Imported. The table is %s, in %s; the one before is %s.\n", c.Hash, c.Currency, c.Before)
	}
	return nil
}
