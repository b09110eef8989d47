package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"tapedeck/internal/app/command/output"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// billsExport writes closed bills as files.
type billsExport struct {
	Number string `arg:"" optional:"" help:"The bill; left out with --period."`
	Dir    string `arg:"" optional:"" help:"The directory to write, or a file that ends in .zip."`

	Period  monthFlag `help:"The closed bills of this month, of all accounts; also this-month or last-month." placeholder:"2026-10"`
	Account string    `help:"Of those, only the bill of this account." placeholder:"ID"`
	Format  string    `help:"focus is the FinOps Open Cost and Usage Specification." enum:"focus" default:"focus" placeholder:"focus"`
	Force   bool      `help:"Write over files that are there." short:"f"`

	Evidence bool `help:"Write a bill with its rows, lines and price table, the tapes of the frames behind them, and the SHA-256 of each file."`

	FocusVersion string   `help:"The version of the specification. 1.2 has Cost and Usage alone." enum:"1.4,1.2" default:"1.4" placeholder:"1.4|1.2"`
	Tag          []string `help:"A tag by whose values charges are apart. May be repeated." placeholder:"KEY" sep:"none"`
	SubAccount   string   `help:"The tag whose value is the sub account." placeholder:"KEY"`
	Columns      []string `help:"Columns of Cost and Usage. Default: all." placeholder:"NAME"`
	Issuer       string   `help:"The name of the invoice issuer. Default: that of the price file." placeholder:"NAME"`
	PaymentTerms string   `help:"The payment terms. Default: those of the price file." placeholder:"TEXT"`
	For          string   `help:"Whom the export is for. customer leaves out what the operator pays: contracted costs and prices, the rules of prices, and links unless --link is given." enum:",customer" default:"" placeholder:"customer"`
	Raw          bool     `help:"Write texts as they were recorded. Default: an apostrophe before those that a spreadsheet would run as a formula."`
	Link         string   `help:"The address of the pages, which links to frames begin with. Default: --server." placeholder:"URL"`
}

// Run writes the files.
func (c *billsExport) Run(ctx context.Context, g *global) error {
	if c.Evidence && c.For != "" {
		return commandline.Errorf("the evidence of a bill has the prices that the operator pays: leave out --evidence or --for %s", c.For)
	}
	if c.Evidence && !g.JSON {
		return c.writeEvidence(ctx, g)
	}
	path, to, err := c.target()
	if err != nil {
		return err
	}
	if g.JSON {
		return commandline.Errorf("--json is for commands that print: bills export writes files")
	}
	q := url.Values{}
	link := c.Link
	if link == "" && c.For == "" {
		link = g.Server
	}
	setAll(q, map[string][]string{
		"period": {string(c.Period)}, "account": {c.Account}, "version": {c.FocusVersion}, "tag": c.Tag, "sub_account": {c.SubAccount},
		"columns": {joined(c.Columns)}, "issuer": {c.Issuer}, "payment_terms": {c.PaymentTerms}, "link": {link}, "for": {c.For},
	})
	if c.Raw {
		q.Set("raw", "1")
	}
	client, err := g.client()
	if err != nil {
		return err
	}
	body, err := client.Open(ctx, http.MethodGet, path, q, "application/zip")
	if err != nil {
		return err
	}
	defer body.Close()
	archive, err := output.Receive(body, to, c.Force)
	if err != nil {
		return err
	}
	if strings.HasSuffix(to, ".zip") {
		fmt.Fprintf(console.To(os.Stderr), "wrote %s\n", to)
		return nil
	}
	defer os.Remove(archive)
	names, err := output.Unpack(archive, to, c.Force)
	if err != nil {
		return fmt.Errorf("write %s: %w", to, err)
	}
	fmt.Fprintf(console.To(os.Stderr), "wrote %s: %s\n", to, strings.Join(names, ", "))
	return nil
}

// target returns the route to request and the path to write to.
func (c *billsExport) target() (path, to string, err error) {
	if c.Period != "" {
		if c.Dir != "" {
			return "", "", commandline.Errorf("name a bill or --period, not both")
		}
		path, to = "v1/bills/focus", c.Number
	} else {
		if c.Account != "" {
			return "", "", commandline.Errorf("--account goes with --period: a number names one bill")
		}
		path, to = "v1/bills/"+url.PathEscape(c.Number)+"/focus", c.Dir
	}
	if to == "" {
		return "", "", commandline.Errorf("name a bill or --period, and the directory to write: tapedeck bills export --period 2026-10 focus-2026-10")
	}
	return path, to, nil
}
