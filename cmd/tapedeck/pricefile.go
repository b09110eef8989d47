package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/console"
	"tapedeck/internal/usage"
	"tapedeck/query/pricelist"
	"tapedeck/query/prices"
)

type pricesCheck struct {
	File string `arg:"" help:"The price file (YAML)." type:"existingfile"`
}

// Run checks the file and compares it with the server's table, or with the program's own
// if the server cannot be reached.
func (c *pricesCheck) Run(ctx context.Context, g *global) error {
	text, operator, err := readPrices(c.File)
	if err != nil {
		return err
	}
	compared, err := sendPrices(ctx, g, c.File, text, true)
	if _, refused := errors.AsType[*apiclient.Error](err); err != nil && !refused {
		fmt.Fprintf(console.To(os.Stderr), "%v\ncompared with the prices of this program alone\n", err)
		compared, err = pricelist.Compare(prices.Standard(), prices.With(operator), ingest.DefaultTenant, time.Now()), nil
		compared.DryRun, compared.Warnings = true, pricelist.Warn(operator, nil)
	}
	if err != nil {
		return err
	}
	return printComparison(g, compared)
}

type pricesImport struct {
	File string `arg:"" help:"The price file (YAML)." type:"existingfile"`
}

// Run sends the file to the server.
func (c *pricesImport) Run(ctx context.Context, g *global) error {
	text, _, err := readPrices(c.File)
	if err != nil {
		return err
	}
	compared, err := sendPrices(ctx, g, c.File, text, false)
	if err != nil {
		return err
	}
	return printComparison(g, compared)
}

// readPrices reads a price file. An invalid one is wrong usage.
func readPrices(path string) ([]byte, *prices.Operator, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, prices.MaxFile+1))
	if err != nil {
		return nil, nil, err
	}
	operator, err := prices.ReadFile(path, text)
	return text, operator, usage.As(err)
}

func sendPrices(ctx context.Context, g *global, path string, text []byte, dry bool) (*pricelist.Comparison, error) {
	client, err := g.client()
	if err != nil {
		return nil, err
	}
	q := url.Values{"name": {filepath.Base(path)}}
	if dry {
		q.Set("dry_run", "1")
	}
	body, err := client.Post(ctx, "/v1/prices", q, "application/yaml", text)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	c := &pricelist.Comparison{}
	if err := json.NewDecoder(body).Decode(c); err != nil {
		return nil, fmt.Errorf("read the answer of /v1/prices: %w", err)
	}
	return c, nil
}

func printComparison(g *global, c *pricelist.Comparison) error {
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(c)
	}
	for _, w := range c.Warnings {
		line := "warning: " + w.Field + ": " + w.Detail
		if len(w.Nearest) > 0 {
			line += "; nearest are " + strings.Join(w.Nearest, ", ")
		}
		fmt.Fprintln(console.To(os.Stderr), line)
	}
	out := console.To(os.Stdout)
	for _, r := range c.Rules {
		fmt.Fprintf(out, "%s: %s %s\n", r.Section, r.Name, r.Change)
	}
	if len(c.Changes) > 0 {
		t := console.NewTable(os.Stdout, "provider", "model", "unit", "before", "after")
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

// orNone returns a text, or the sign for an unknown one.
func orNone(text *string) string {
	if text == nil {
		return unknown
	}
	return *text
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
