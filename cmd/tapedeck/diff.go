package main

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strconv"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
	"tapedeck/query/compare"
)

// diffCommand compares two sessions.
type diffCommand struct {
	A     string `arg:"" predictor:"session" help:"The id of a session." name:"a"`
	B     string `arg:"" predictor:"session" help:"The id of another session." name:"b"`
	All   bool   `help:"Also list the equal steps."`
	Row   *int   `help:"Show the differences in row N of the list: words of texts, paths of JSON." placeholder:"N"`
	Exact bool   `help:"Compare ids and times, too."`
	Limit int    `help:"How many steps of each session to compare, up to 10000." default:"5000" placeholder:"N"`
}

// Run prints the first difference of the sessions, and the steps that differ.
func (c *diffCommand) Run(ctx context.Context, g *global) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	var found compare.Comparison
	if done, err := g.fetch(ctx, "v1/compare", q, &found); done || err != nil {
		if e, ok := errors.AsType[*apiclient.Error](err); ok && e.Status == http.StatusNotFound {
			e.Hint = cmp.Or(fileHint(c.A), fileHint(c.B), e.Hint)
		}
		return err
	}
	if c.Row != nil {
		printers.ComparedRows(os.Stdout, &found)
		return nil
	}
	return printers.Comparison(os.Stdout, &found, c.All)
}

func (c *diffCommand) query() (url.Values, error) {
	if c.A == "" || c.B == "" {
		return nil, commandline.Errorf("a session's id is empty: name two sessions; \"tapedeck sessions\" lists them")
	}
	q := url.Values{"a": {c.A}, "b": {c.B}, "limit": {strconv.Itoa(c.Limit)}}
	if c.Exact {
		q.Set("exact", "1")
	}
	if c.Row != nil {
		q.Set("row", strconv.Itoa(*c.Row))
	}
	return q, nil
}
