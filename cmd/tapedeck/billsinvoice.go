package main

import (
	"context"
	"io"

	"tapedeck/internal/apiclient"
)

type billsInvoice struct {
	Number string `arg:"" help:"The bill."`
	Output string `short:"o" help:"The file to write. Default: standard output." placeholder:"FILE"`
	billSplit
	Force bool `help:"Write over a file that is there." short:"f"`
}

// Run writes the page.
func (c *billsInvoice) Run(ctx context.Context, g *global) error {
	path, err := billPath(c.Number, "/invoice")
	if err != nil {
		return err
	}
	return g.writeTo(ctx, c.Output, c.Force, func(client *apiclient.Client, out io.Writer) error {
		return client.Copy(ctx, path, c.values(), "text/html", out)
	})
}
