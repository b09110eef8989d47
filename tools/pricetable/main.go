// Command pricetable writes the price table that is part of the program from a published one.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"tapedeck/query/pricing/prices"
)

func main() {
	table := flag.String("table", "query/pricing/prices/table.json",
		"the table to write; LiteLLM's prices are compared with it")
	date := flag.String("date", "",
		"the date of the published table; default: the day in UTC on which the file was changed last")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: pricetable [-date YYYY-MM-DD] [-table FILE] FILE")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *table, *date); err != nil {
		fmt.Fprintln(os.Stderr, "pricetable:", err)
		os.Exit(1)
	}
}

func run(file, table, date string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if date == "" {
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		date = info.ModTime().UTC().Format(time.DateOnly)
	}
	old, err := os.ReadFile(table)
	if err != nil {
		return err
	}
	current, err := prices.Load(old)
	if err != nil {
		return fmt.Errorf("%s: %w", table, err)
	}
	published, err := prices.ReadPublished(text, date, current)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if published.Source.Date < current.Source.Date {
		return fmt.Errorf("%s is of %s, older than the table, which is of %s",
			file, published.Source.Date, current.Source.Date)
	}
	written, err := format(published)
	if err != nil {
		return err
	}
	if err := os.WriteFile(table, written, 0o644); err != nil {
		return err
	}
	of := &published.Source
	fmt.Printf("%s: %s of %s (%s)\n", table, of.Package, of.Date, of.Integrity)
	return nil
}

// format writes a table with a line for each model, so that the difference between two versions is
// readable. Its hash covers the providers without the line ends.
func format(t *prices.Table) ([]byte, error) {
	var providers bytes.Buffer
	for i := range t.Providers {
		p := t.Providers[i]
		models := p.Models
		p.Models = []prices.Model{}
		head, err := json.Marshal(p)
		if err != nil {
			return nil, fmt.Errorf("write the provider %s: %w", p.ID, err)
		}
		if i > 0 {
			providers.WriteString(",\n")
		}
		providers.Write(bytes.TrimSuffix(head, []byte("]}")))
		for j := range models {
			model, err := json.Marshal(models[j])
			if err != nil {
				return nil, fmt.Errorf("write the model %s of %s: %w", models[j].ID, p.ID, err)
			}
			if j > 0 {
				providers.WriteByte(',')
			}
			providers.WriteByte('\n')
			providers.Write(model)
		}
		providers.WriteString("\n]}")
	}
	sum := sha256.Sum256(append(append([]byte("["), bytes.ReplaceAll(providers.Bytes(), []byte("\n"), nil)...), ']'))
	source := t.Source
	source.SHA256 = hex.EncodeToString(sum[:])
	head, err := json.Marshal(source)
	if err != nil {
		return nil, fmt.Errorf("write the source of the table: %w", err)
	}
	return fmt.Appendf(nil, "{\"source\":%s,\n\"providers\":[\n%s\n]}\n", head, providers.Bytes()), nil
}
