package main

import (
	"context"
	"fmt"
	"net/url"
	"os"

	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
	"tapedeck/query/report/pricelist"
)

// pricesCommand shows and changes the prices of calls.
type pricesCommand struct {
	List   pricesList   `cmd:"" default:"withargs" help:"List the effective prices of the models in use, and the models in use that have no price."`
	Show   pricesShow   `cmd:"" help:"Show all prices of a model: by date and time of day, with rules and sources."`
	Check  pricesCheck  `cmd:"" help:"Check a price file and say what it would change."`
	Import pricesImport `cmd:"" help:"Make a price file the one that the server uses."`
	Update pricesUpdate `cmd:"" help:"Make a published table the list prices that the server uses: genai-prices' data.json or LiteLLM's model_prices_and_context_window.json."`
}

// priceTable holds the flags that select a table and a time.
type priceTable struct {
	At   timeFlag `help:"The prices of this time: RFC 3339, a date, now-24h or 7d, today, yesterday, this-month or last-month. Default: now." placeholder:"TIME"`
	Hash string   `help:"The table with this hash instead of the current one." placeholder:"SHA256"`
}

func (t *priceTable) values() url.Values {
	q := url.Values{}
	setAll(q, map[string][]string{"at": {t.At.utc()}, "hash": {t.Hash}})
	return q
}

type pricesList struct {
	priceTable
	Provider  string `help:"Only models of this provider." placeholder:"ID"`
	Model     string `help:"Only models whose id contains this." placeholder:"TEXT"`
	Unmatched bool   `help:"Only the models in use that have no price."`
	Inexact   bool   `help:"Only the models in use that are priced as another model."`
	All       bool   `help:"All models of the table, not only those in use."`
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
	used := !c.All && c.Provider == "" && c.Model == "" && len(list.Used) > 0
	return printers.Prices(os.Stdout, os.Stderr, &list, used, c.Unmatched, c.Inexact)
}

type pricesShow struct {
	priceTable
	Model    string `arg:"" help:"A model's name as sources state it, or its id in the table."`
	Provider string `help:"The provider. Default: the one to which the name belongs." placeholder:"ID"`
}

// Run prints the prices of the model in the table.
func (c *pricesShow) Run(ctx context.Context, g *global) error {
	if c.Model == "" {
		return commandline.Errorf("name a model: \"tapedeck prices list\" lists those there are")
	}
	path := "v1/prices/"
	if c.Provider != "" {
		path += url.PathEscape(c.Provider) + "/"
	}
	var m pricelist.Model
	if done, err := g.fetch(ctx, path+url.PathEscape(c.Model), c.values(), &m); done || err != nil {
		return err
	}
	return printers.Model(os.Stdout, os.Stderr, &m)
}
