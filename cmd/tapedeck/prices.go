package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"tapedeck/internal/console"
	"tapedeck/internal/usage"
	"tapedeck/query/pricelist"
)

// pricesCommand shows and changes the prices that calls are charged at.
type pricesCommand struct {
	List   pricesList   `cmd:"" default:"withargs" help:"List the effective price table, and the models in use that have no price."`
	Show   pricesShow   `cmd:"" help:"Show all prices of a model: by date and time of day, with rules and sources."`
	Check  pricesCheck  `cmd:"" help:"Check a price file and say what it would change."`
	Import pricesImport `cmd:"" help:"Make a price file the one that the server uses."`
}

// priceTable are the flags that choose a table and a time.
type priceTable struct {
	At   string `help:"The prices of this time: RFC 3339, a date, or now-24h. Default: now." placeholder:"TIME"`
	Hash string `help:"The table with this hash instead of the current one." placeholder:"SHA256"`
}

func (t *priceTable) values() url.Values {
	q := url.Values{}
	setAll(q, map[string][]string{"at": {t.At}, "hash": {t.Hash}})
	return q
}

type pricesList struct {
	priceTable
	Provider  string `help:"Only models of this provider." placeholder:"ID"`
	Model     string `help:"Only models whose id contains this." placeholder:"TEXT"`
	Unmatched bool   `help:"Only the models in use that have no price."`
	Limit     int    `short:"n" help:"How many models to list at most." default:"100"`
}

// Run prints the table.
func (c *pricesList) Run(ctx context.Context, g *global) error {
	q := c.values()
	setAll(q, map[string][]string{"provider": {c.Provider}, "model": {c.Model}, "limit": {fmt.Sprint(c.Limit)}})
	var list pricelist.List
	if done, err := g.fetch(ctx, "v1/prices", q, &list); done || err != nil {
		return err
	}
	if !c.Unmatched {
		t := console.NewTable(os.Stdout, "provider", "model", "input", "cache read", "cache write", "output", "others")
		for i := range list.Items {
			e := &list.Items[i]
			t.Row(append([]any{e.Provider, e.Model}, priceCells(e.Prices)...)...)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		if list.Next != nil {
			fmt.Fprintf(os.Stderr, "there are more models: narrow the list with --provider or --model, or raise --limit\n")
		}
	}
	if err := printUnmatched(os.Stdout, list.Unmatched); err != nil {
		return err
	}
	printPriceHead(os.Stderr, &list.Head)
	return nil
}

// printPriceHead says which table it was.
func printPriceHead(w io.Writer, h *pricelist.Head) {
	fmt.Fprintf(console.To(w), "%s for a million tokens; list prices of %s %s, %s; ", h.Currency, h.Source.Package, h.Source.Version, h.Source.Date)
	if h.FileName != nil {
		fmt.Fprintf(console.To(w), "price file %s of %s; ", *h.FileName, console.LocalTime(*h.ImportedAt))
	}
	fmt.Fprintf(w, "table %s\n", h.Hash)
}

// priceCells returns the prices for a million tokens, with the tiers, and the number of the
// other prices.
func priceCells(list []pricelist.UnitPrice) []any {
	shown := []string{"input_mtok", "cache_read_mtok", "cache_write_mtok", "output_mtok"}
	cells := []any{"–", "–", "–", "–", ""}
	others := 0
	for i := range list {
		at := -1
		for j, key := range shown {
			if list[i].Key == key {
				at = j
			}
		}
		if at < 0 {
			others++
			continue
		}
		cells[at] = priceText(&list[i])
	}
	if others > 0 {
		cells[4] = fmt.Sprintf("+%d", others)
	}
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
		t.Row(orDash(u.Model), orDash(u.Provider), console.Thousands(u.Records), console.LocalTime(u.Last), u.Detail, strings.Join(u.Nearest, ", "))
	}
	return t.Flush()
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

type pricesShow struct {
	priceTable
	Model    string `arg:"" help:"A model's name as sources state it, or its id in the table."`
	Provider string `help:"The provider. Default: the one to which the name belongs." placeholder:"ID"`
}

// Run prints what the table has about the model.
func (c *pricesShow) Run(ctx context.Context, g *global) error {
	if c.Model == "" {
		return usage.Errorf("name a model: \"tapedeck prices list\" lists those there are")
	}
	path := "v1/prices/"
	if c.Provider != "" {
		path += url.PathEscape(c.Provider) + "/"
	}
	var m pricelist.Model
	if done, err := g.fetch(ctx, path+url.PathEscape(c.Model), c.values(), &m); done || err != nil {
		return err
	}
	out := console.To(os.Stdout)
	fmt.Fprintf(out, "%s %s  %s\n", m.Provider, m.Model, m.Name)
	if len(m.Prices) > 0 {
		fmt.Fprintf(out, "\nprices at %s, %s\n", m.At.Format(time.RFC3339), m.Currency)
		if err := printUnits(m.Prices, true); err != nil {
			return err
		}
	}
	for i := range m.Periods {
		fmt.Fprintf(out, "\nlist prices %s, USD, %s %s of %s\n", periodText(&m.Periods[i]), m.Source.Package, m.Source.Version, m.Source.Date)
		if err := printUnits(m.Periods[i].Prices, false); err != nil {
			return err
		}
	}
	for i := range m.Rules {
		printRule(out, &m.Rules[i])
	}
	printPriceHead(os.Stderr, &m.Head)
	return nil
}

func printUnits(list []pricelist.UnitPrice, charged bool) error {
	heads := []string{"unit", "price", "for"}
	if charged {
		heads = append(heads, "list price")
	}
	t := console.NewTable(os.Stdout, heads...)
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
	text := "at any time"
	switch {
	case p.StartDate != nil:
		text = "from " + *p.StartDate
	case p.StartTime != nil && p.EndTime != nil:
		text = "from " + *p.StartTime + " to " + *p.EndTime
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
