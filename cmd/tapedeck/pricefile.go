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
	File string `arg:"" help:"The price file (YAML)." type:"existingfile"`
}

// Run checks the file and compares it with the server's table, or with the built-in table if the
// server cannot be reached.
func (c *pricesCheck) Run(ctx context.Context, g *global) error {
	text, operator, err := readPrices(c.File)
	if err != nil {
		return err
	}
	compared, err := sendPrices(ctx, g, c.File, text, true)
	if _, refused := errors.AsType[*apiclient.Error](err); err != nil && !refused {
		fmt.Fprintf(console.To(os.Stderr), "%v\ncompared with the prices of this program alone\n", err)
		compared, err = pricelist.Compare(prices.Standard(), prices.With(operator), ingest.DefaultTenant,
			time.Now()), nil
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
	return text, operator, commandline.As(err)
}

// sendPrices sends a price file. A file that is empty means no own prices; the server refuses an
// empty body, which may be a mistake.
func sendPrices(ctx context.Context, g *global, path string, text []byte, dry bool) (*pricelist.Comparison, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("# no own prices\n")
	}
	return postPrices(ctx, g, url.Values{"name": {filepath.Base(path)}}, "application/yaml", text, dry)
}

// postPrices sends a file of prices and returns what it changes.
func postPrices(ctx context.Context, g *global, q url.Values, media string, text []byte, dry bool) (*pricelist.Comparison, error) {
	client, err := g.client()
	if err != nil {
		return nil, err
	}
	if dry {
		q.Set("dry_run", "1")
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

func printComparison(g *global, c *pricelist.Comparison) error {
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(c)
	}
	return printers.PriceChanges(os.Stdout, os.Stderr, c)
}
