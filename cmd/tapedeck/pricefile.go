package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/report/pricelist"
)

type pricesCheck struct {
	File string `arg:"" predictor:"file" help:"The price file (YAML)." type:"existingfile"`
	priceChanges
}

// priceChanges selects how many changes of prices are listed.
type priceChanges struct {
	All bool `help:"List all changes, not only the first 20 of each kind."`
}

// Run checks the file and compares it with the server's table, or with the built-in table if the
// server cannot be reached.
func (c *pricesCheck) Run(ctx context.Context, g *global) error {
	text, operator, err := readPrices(c.File)
	if err != nil {
		return err
	}
	compared, err := c.sendPrices(ctx, g, c.File, text, true)
	if _, refused := errors.AsType[*apiclient.Error](err); err != nil && !refused {
		fmt.Fprintf(console.To(os.Stderr), "%v\ncompared with the prices of this program alone\n", err)
		compared, err = pricelist.CompareAll(prices.Standard(), prices.With(operator), ingest.DefaultTenant,
			time.Now()), nil
		compared.DryRun, compared.Warnings = true, pricelist.Warn(operator, nil)
	}
	if err != nil {
		return err
	}
	return c.printComparison(g, compared)
}

type pricesImport struct {
	File string `arg:"" predictor:"file" help:"The price file (YAML). An empty file means no own prices." type:"existingfile"`
	priceChanges
}

// Run sends the file to the server.
func (c *pricesImport) Run(ctx context.Context, g *global) error {
	text, _, err := readPrices(c.File)
	if err != nil {
		return err
	}
	compared, err := c.sendPrices(ctx, g, c.File, text, false)
	if err != nil {
		return err
	}
	return c.printComparison(g, compared)
}

// readPrices reads a price file. An invalid file is a usage error.
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
	if err == nil && len(bytes.TrimSpace(text)) > 0 && prices.StatesNothing(text) {
		err = fmt.Errorf("%s states nothing: it has no field. An empty file means no own prices", path)
	}
	return text, operator, commandline.As(err)
}

// sendPrices sends a price file. An empty file removes the server's own prices.
func (c *priceChanges) sendPrices(ctx context.Context, g *global, path string, text []byte, dry bool) (*pricelist.Comparison, error) {
	q := url.Values{"name": {filepath.Base(path)}}
	if len(bytes.TrimSpace(text)) == 0 {
		text = nil
		q.Set("none", "1")
	}
	return c.postPrices(ctx, g, q, "application/yaml", text, dry)
}

// postPrices sends a file of prices and returns what it changes.
func (p *priceChanges) postPrices(ctx context.Context, g *global, q url.Values, media string, text []byte, dry bool) (*pricelist.Comparison, error) {
	client, err := g.client()
	if err != nil {
		return nil, err
	}
	if dry {
		q.Set("dry_run", "1")
	}
	if p.All {
		q.Set("all", "1")
	}
	body, err := client.Post(ctx, "/v1/prices", q, media, text)
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

func (p *priceChanges) printComparison(g *global, c *pricelist.Comparison) error {
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(c)
	}
	return printers.PriceChanges(os.Stdout, os.Stderr, c, p.All)
}
