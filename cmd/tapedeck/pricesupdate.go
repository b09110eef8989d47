package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/query/pricing/prices"
)

type pricesUpdate struct {
	File   string `arg:"" predictor:"file" help:"The table, as genai-prices or LiteLLM publishes it (JSON)." type:"existingfile"`
	Date   string `help:"The date of the table. Default: the day in UTC on which the file was changed last." placeholder:"YYYY-MM-DD"`
	DryRun bool   `help:"Only show what would change."`
	priceChanges
}

// Run sends the table to the server. Nothing is fetched from the network.
func (c *pricesUpdate) Run(ctx context.Context, g *global) error {
	f, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(f, prices.MaxPublished+1))
	if err != nil {
		return fmt.Errorf("read the table %s: %w", c.File, err)
	}
	date := c.Date
	if date == "" {
		date = info.ModTime().UTC().Format(time.DateOnly)
	}
	if _, err := prices.ReadPublished(text, date, prices.Builtin()); err != nil {
		return commandline.Errorf("%s: %v", c.File, err)
	}
	q := url.Values{"name": {filepath.Base(c.File)}, "list": {"1"}, "date": {date}}
	compared, err := c.postPrices(ctx, g, q, "application/json", text, c.DryRun)
	if err != nil {
		return err
	}
	if err := c.printComparison(g, compared); err != nil || g.JSON {
		return err
	}
	of, was := &compared.Source, &compared.PreviousSource
	fmt.Fprintf(console.To(os.Stderr), "list prices of %s, %s (%s); before: %s, %s\n", of.Package, of.Date, of.Integrity, was.Package, was.Date)
	return nil
}
