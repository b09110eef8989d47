package main

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"tapedeck/internal/console"
	"tapedeck/internal/usage"
)

// billsExport writes closed bills as files.
type billsExport struct {
	Number string `arg:"" optional:"" help:"The bill; left out with --period."`
	Dir    string `arg:"" optional:"" help:"The directory to write, or a file that ends in .zip."`

	Period  string `help:"The closed bills of this month, of all accounts." placeholder:"2026-10"`
	Account string `help:"Of those, only the bill of this account." placeholder:"ID"`
	Format  string `help:"focus is the FinOps Open Cost and Usage Specification." enum:"focus" default:"focus" placeholder:"focus"`
	Force   bool   `help:"Write over files that are there." short:"f"`

	Evidence bool `help:"Write a bill with its rows, lines and price table, the tapes of the frames behind them, and the SHA-256 of each file."`

	FocusVersion string   `help:"The version of the specification. 1.2 has Cost and Usage alone." enum:"1.4,1.2" default:"1.4" placeholder:"1.4|1.2"`
	Tag          []string `help:"A tag by whose values charges are apart. May be repeated." placeholder:"KEY" sep:"none"`
	SubAccount   string   `help:"The tag whose value is the sub account." placeholder:"KEY"`
	Columns      []string `help:"Columns of Cost and Usage. Default: all." placeholder:"NAME"`
	Issuer       string   `help:"The name of the invoice issuer. Default: that of the price file." placeholder:"NAME"`
	PaymentTerms string   `help:"The payment terms. Default: those of the price file." placeholder:"TEXT"`
	Link         string   `help:"The address of the pages, which links to frames begin with. Default: --server." placeholder:"URL"`
}

// Run writes the files.
func (c *billsExport) Run(ctx context.Context, g *global) error {
	if c.Evidence && !g.JSON {
		return c.writeEvidence(ctx, g)
	}
	path, to, err := c.target()
	if err != nil {
		return err
	}
	if g.JSON {
		return usage.Errorf("--json is for commands that print: bills export writes files")
	}
	q := url.Values{}
	link := c.Link
	if link == "" {
		link = g.Server
	}
	setAll(q, map[string][]string{
		"period": {c.Period}, "account": {c.Account}, "version": {c.FocusVersion}, "tag": c.Tag, "sub_account": {c.SubAccount},
		"columns": {joined(c.Columns)}, "issuer": {c.Issuer}, "payment_terms": {c.PaymentTerms}, "link": {link},
	})
	client, err := g.client()
	if err != nil {
		return err
	}
	body, err := client.Open(ctx, http.MethodGet, path, q, "application/zip")
	if err != nil {
		return err
	}
	defer body.Close()
	archive, err := c.receive(body, to)
	if err != nil {
		return err
	}
	if strings.HasSuffix(to, ".zip") {
		fmt.Fprintf(console.To(os.Stderr), "wrote %s\n", to)
		return nil
	}
	defer os.Remove(archive)
	names, err := c.unpack(archive, to)
	if err != nil {
		return fmt.Errorf("write %s: %w", to, err)
	}
	fmt.Fprintf(console.To(os.Stderr), "wrote %s: %s\n", to, strings.Join(names, ", "))
	return nil
}

// target returns the route to ask and what to write.
func (c *billsExport) target() (path, to string, err error) {
	if c.Period != "" {
		if c.Dir != "" {
			return "", "", usage.Errorf("name a bill or --period, not both")
		}
		path, to = "v1/bills/focus", c.Number
	} else {
		if c.Account != "" {
			return "", "", usage.Errorf("--account goes with --period: a number names one bill")
		}
		path, to = "v1/bills/"+url.PathEscape(c.Number)+"/focus", c.Dir
	}
	if to == "" {
		return "", "", usage.Errorf("name a bill or --period, and the directory to write: tapedeck bills export --period 2026-10 focus-2026-10")
	}
	return path, to, nil
}

// receive writes an archive to its file, or to a temporary one if its files are wanted. A
// file that is not whole is removed.
func (c *billsExport) receive(body io.Reader, to string) (path string, err error) {
	var f *os.File
	if strings.HasSuffix(to, ".zip") {
		f, err = createFile(to, c.Force)
	} else {
		f, err = os.CreateTemp("", "tapedeck-focus-*.zip")
	}
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, body)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("read the export: %w", err), os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// unpack writes the files of an archive to a directory and returns their names.
func (c *billsExport) unpack(archive, dir string) (names []string, err error) {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	for _, entry := range z.File {
		if entry.Name != filepath.Base(entry.Name) {
			return nil, fmt.Errorf("the server named a file %q", entry.Name)
		}
		if _, err := os.Lstat(filepath.Join(dir, entry.Name)); err == nil && !c.Force {
			return nil, existsError(entry.Name)
		}
		names = append(names, entry.Name)
	}
	for _, entry := range z.File {
		if err := copyEntry(entry, filepath.Join(dir, entry.Name)); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// copyEntry writes a file of an archive.
func copyEntry(entry *zip.File, to string) error {
	r, err := entry.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	f, err := createFile(to, true) // unpack has checked what is there
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
