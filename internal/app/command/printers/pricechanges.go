package printers

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"tapedeck/internal/console"
	"tapedeck/query/report/pricelist"
)

// changesShown is the number of changes of each kind that are listed.
const changesShown = 20

// PriceChanges writes the changes of a price file, and to notes its probable errors. It writes the
// first changes of each kind, and how many there are, or all of them.
func PriceChanges(w, notes io.Writer, c *pricelist.Comparison, all bool) error {
	for _, w := range c.Warnings {
		line := "warning: " + w.Field + ": " + w.Detail
		if len(w.Nearest) > 0 {
			line += "; nearest are " + strings.Join(w.Nearest, ", ")
		}
		fmt.Fprintln(console.To(notes), line)
	}
	out := console.To(w)
	rules := map[string]int{} // by section and change
	for _, r := range c.Rules {
		kind := r.Section + " " + r.Change
		if rules[kind]++; all || rules[kind] <= changesShown {
			fmt.Fprintf(out, "%s: %s %s\n", r.Section, r.Name, r.Change)
		}
	}
	left := []string{}
	for _, kind := range slices.Sorted(maps.Keys(rules)) {
		if n := rules[kind] - changesShown; n > 0 && !all {
			left = append(left, console.Thousands(n)+" "+kind)
		}
	}
	if len(c.Changes) > 0 {
		var shown [3]int // by kind
		t := console.NewTable(w, "provider", "model", "unit", "before", "after")
		for i := range c.Changes {
			p := &c.Changes[i]
			if kind := p.Kind(); all || shown[kind] < changesShown {
				shown[kind]++
				t.Row(p.Provider, p.Model, p.Key, orNone(p.Before), orNone(p.After))
			}
		}
		if err := t.Flush(); err != nil {
			return err
		}
		for kind, name := range []string{"prices changed", "prices added", "prices removed"} {
			if n := c.Counts.Of(pricelist.ChangeKind(kind)) - shown[kind]; n > 0 {
				left = append(left, console.Thousands(n)+" "+name)
			}
		}
		fmt.Fprintf(out, "prices: %s changed, %s added, %s removed\n", console.Thousands(c.Counts.Changed),
			console.Thousands(c.Counts.Added), console.Thousands(c.Counts.Removed))
	}
	if len(left) > 0 {
		fmt.Fprintf(out, "not listed: %s; --all lists them\n", strings.Join(left, ", "))
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
