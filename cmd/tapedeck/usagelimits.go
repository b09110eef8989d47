package main

import (
	"context"
	"net/url"
	"os"
	"strings"
	"time"

	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
	"tapedeck/query/report/limitreport"
)

// runLimits lists what agents stated last of the limits of their accounts.
func (c *usageCommand) runLimits(ctx context.Context, g *global, format string) error {
	sessions := url.Values{}
	c.set(sessions)
	switch {
	case format != "table" && format != "json":
		return commandline.Errorf("--limits has the formats table and json, not %s", format)
	case len(sessions) > 0 || c.Granularity != "" || c.Calls || c.Findings || c.Plans || c.Top != 0 || c.Order != "" ||
		c.AsOf != "" || c.Prices != "" || c.WhatIfModel != "" || c.Currency != "" || c.Output != "" || c.Raw:
		return commandline.Errorf("--limits goes with --from, --to, --timezone, --group-by tag:NAME and --json alone")
	}
	q := c.values(nil)
	if c.GroupBy != nil && *c.GroupBy != "" {
		tag, is := strings.CutPrefix(*c.GroupBy, "tag:")
		if !is || tag == "" || strings.Contains(tag, ",") {
			return commandline.Errorf("--group-by %q: with --limits it is tag:NAME, the tag that tells accounts apart", *c.GroupBy)
		}
		q.Set("tag", tag)
	}
	g.JSON = g.JSON || format == "json"
	var r limitreport.Report
	if done, err := g.fetch(ctx, "v1/limits", q, &r); done || err != nil {
		return err
	}
	if len(r.Items) == 0 {
		printNone("limits of accounts", c.narrowed(&c.sessionFilter))
		return nil
	}
	return printers.Limits(os.Stdout, &r, time.Now())
}
