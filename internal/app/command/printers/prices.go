package printers

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"tapedeck/internal/console"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/report/pricelist"
)

// Prices writes a price table, or with used its models in use, then the models in use that have no
// price, and the models in use that have the price of another model; or only one of these lists. To
// notes it writes which table it is.
func Prices(out, notes io.Writer, list *pricelist.List, used, unmatched, inexact bool) error {
	all := !unmatched && !inexact
	if all {
		t := console.NewTable(out, "provider", "model", "input", "cache read", "cache write", "output", "more")
		t.Optional("more", "cache write", "cache read")
		items := list.Items
		if used {
			items = list.Used
		}
		for i := range items {
			e := &items[i]
			t.Row(append([]any{e.Provider, e.Model}, priceCells(e.Prices)...)...)
		}
		if len(items) > 0 {
			if err := t.Flush(); err != nil {
				return err
			}
		}
		switch {
		case len(items) == 0:
			fmt.Fprintln(notes, "no model of the table matches: leave out --provider or --model to see more")
		case used:
			fmt.Fprintln(notes, "these are the models in use; --all lists the whole table, --provider and --model a part of it")
		case list.Next != nil:
			fmt.Fprintln(notes, "there are more models: narrow the list with --provider or --model, or raise --limit")
		}
	}
	if all || unmatched {
		if err := printUnmatched(out, list.Unmatched); err != nil {
			return err
		}
	}
	if all || inexact {
		if err := printInexact(out, list.Inexact); err != nil {
			return err
		}
	}
	priceHead(notes, &list.Head)
	return nil
}

// Model writes all prices of a model, and to notes which table they are from.
func Model(w, notes io.Writer, m *pricelist.Model) error {
	out := console.To(w)
	fmt.Fprintf(out, "%s %s  %s\n", m.Provider, m.Model, m.Name)
	if len(m.Prices) > 0 {
		fmt.Fprintf(out, "\nprices at %s, %s\n", m.At.Format(time.RFC3339), m.Currency)
		if err := printUnits(w, m.Prices, true); err != nil {
			return err
		}
	}
	for i := range m.Periods {
		fmt.Fprintf(out, "\nlist prices %s, USD, %s %s of %s\n", periodText(&m.Periods[i]), m.Source.Package,
			m.Source.Version, m.Source.Date)
		if err := printUnits(w, m.Periods[i].Prices, false); err != nil {
			return err
		}
	}
	for i := range m.Rules {
		printRule(out, &m.Rules[i])
	}
	priceHead(notes, &m.Head)
	return nil
}

// scopeText writes the conditions of a rule.
func scopeText(s *prices.Scope) string {
	var parts []string
	add := func(name string, values []string) {
		if len(values) > 0 {
			parts = append(parts, name+" "+strings.Join(values, " or "))
		}
	}
	add("provider", s.Provider)
	add("model", s.Model)
	add("tenant", s.Tenant)
	for _, tag := range slices.Sorted(maps.Keys(s.Tags)) {
		add("tag "+tag, []string{s.Tags[tag]})
	}
	add("service tier", s.ServiceTier)
	add("speed", s.Speed)
	add("region", s.Region)
	add("refused before any output for", s.Refusal)
	add("not refused for", s.RefusalNot)
	add("day", s.Weekdays)
	if s.StartTime != "" {
		parts = append(parts, "from "+s.StartTime+" to "+s.EndTime)
	}
	if s.MaxInput > 0 {
		parts = append(parts, fmt.Sprintf("at most %s input tokens", console.Thousands(s.MaxInput)))
	}
	if !s.From.IsZero() {
		parts = append(parts, "from "+s.From.Format(time.RFC3339))
	}
	if !s.To.IsZero() {
		parts = append(parts, "before "+s.To.Format(time.RFC3339))
	}
	return strings.Join(parts, ", ")
}

// priceHead writes lines that identify a price table.
func priceHead(out io.Writer, h *pricelist.Head) {
	w := console.To(out)
	fmt.Fprintf(w, "%s for a million tokens\nlist prices of %s %s, %s\n", h.Currency, h.Source.Package, h.Source.Version, h.Source.Date)
	if h.FileName != nil {
		fmt.Fprintf(w, "price file %s of %s\n", *h.FileName, console.LocalTime(*h.ImportedAt))
	}
	fmt.Fprintf(w, "table %s\n", h.Hash)
}

// priceCells returns the cells with the prices for a million tokens, without tiers, and a cell that
// says what the list leaves out: the number of other prices, and the first tier of these.
func priceCells(list []pricelist.UnitPrice) []any {
	shown := []string{"input_mtok", "cache_read_mtok", "cache_write_mtok", "output_mtok"}
	cells := []any{"–", "–", "–", "–", ""}
	var above int64
	others := 0
	for i := range list {
		p := &list[i]
		at := slices.Index(shown, p.Key)
		if at < 0 {
			others++
			continue
		}
		cells[at] = p.Price
		for _, t := range p.Tiers {
			if above == 0 || t.Above < above {
				above = t.Above
			}
		}
	}
	var more []string
	if others > 0 {
		more = append(more, fmt.Sprintf("+%d", others))
	}
	if above > 0 {
		more = append(more, "another price above "+console.Thousands(above))
	}
	cells[4] = strings.Join(more, ", ")
	return cells
}

func priceText(p *pricelist.UnitPrice) string {
	text := p.Price
	for _, t := range p.Tiers {
		text += fmt.Sprintf("; %s above %s", t.Price, console.Thousands(t.Above))
	}
	return text
}

func printUnmatched(w io.Writer, list []pricelist.Unmatched) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := console.NewTable(w, "no price", "provider", "records", "last", "why", "most like it")
	for i := range list {
		u := &list[i]
		t.Row(OrDash(u.Model), OrDash(u.Provider), console.Thousands(u.Records), console.LocalTime(u.Last), u.Detail,
			strings.Join(u.Nearest, ", "))
	}
	return t.Flush()
}

func printInexact(w io.Writer, list []pricelist.Inexact) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := console.NewTable(w, "price of another model", "provider", "records", "last", "priced as")
	for i := range list {
		x := &list[i]
		t.Row(x.Model, OrDash(x.Provider), console.Thousands(x.Records), console.LocalTime(x.Last),
			x.PriceProvider+"/"+x.PriceModel)
	}
	return t.Flush()
}

func printUnits(w io.Writer, list []pricelist.UnitPrice, charged bool) error {
	heads := []string{"unit", "price", "for"}
	if charged {
		heads = append(heads, "list price")
	}
	t := console.NewTable(w, heads...)
	for i := range list {
		p := &list[i]
		cells := []any{p.Key, priceText(p), console.Thousands(p.Per)}
		if charged && p.List != nil {
			cells = append(cells, *p.List)
		}
		t.Row(cells...)
	}
	return t.Flush()
}

func periodText(p *pricelist.Period) string {
	var parts []string
	if p.StartDate != nil {
		parts = append(parts, "from "+*p.StartDate)
	}
	if p.StartTime != nil && p.EndTime != nil {
		parts = append(parts, "from "+*p.StartTime+" to "+*p.EndTime)
	}
	if len(p.Weekdays) > 0 {
		parts = append(parts, "on "+strings.Join(p.Weekdays, ", "))
	}
	text := "at any time"
	if len(parts) > 0 {
		text = strings.Join(parts, ", ")
	}
	if p.Holds {
		text += " (these hold)"
	}
	return text
}

func printRule(out io.Writer, r *pricelist.Rule) {
	fmt.Fprintf(out, "\n%s: %s\n", r.Section, r.Name)
	if r.Factor != nil {
		units := "all units"
		if len(r.Units) > 0 {
			units = strings.Join(r.Units, ", ")
		}
		fmt.Fprintf(out, "  times %s, %s\n", *r.Factor, units)
	}
	for i := range r.Prices {
		fmt.Fprintf(out, "  %s %s\n", r.Prices[i].Key, priceText(&r.Prices[i]))
	}
	if when := scopeText(&r.When); when != "" {
		fmt.Fprintf(out, "  where %s\n", when)
	}
	if r.Source != nil {
		fmt.Fprintf(out, "  source %s, read on %s: %s\n", r.Source.URL, r.Source.Date, r.Source.Text)
	}
}
