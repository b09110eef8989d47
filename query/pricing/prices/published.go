package prices

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// MaxPublished is the maximum size of a published table, bytes.
const MaxPublished = 32 << 20

// ReadPublished reads a published table of list prices in one of two formats: data.json of
// genai-prices, which replaces the current table, or LiteLLM's
// model_prices_and_context_window.json. LiteLLM's table has only today's prices and no dates. A
// price that differs from the current table's applies from the date of the table on, and the price
// of a new model applies at any time. date is the date of the table, YYYY-MM-DD; neither format
// states one.
func ReadPublished(text []byte, date string, current *Table) (*Table, error) {
	if len(text) > MaxPublished {
		return nil, fmt.Errorf("the file has %d bytes, at most %d are allowed", len(text), MaxPublished)
	}
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return nil, fmt.Errorf("the date %q of the table is no date YYYY-MM-DD", date)
	}
	sum := sha256.Sum256(text)
	source := Release{Version: "file", Integrity: "sha256:" + hex.EncodeToString(sum[:]), Date: date}
	var table *Table
	var err error
	switch text = bytes.TrimSpace(text); {
	case bytes.HasPrefix(text, []byte("[")):
		source.Package = "genai-prices"
		table, err = LoadPackage(text)
		if err == nil {
			err = table.check()
		}
	case bytes.HasPrefix(text, []byte("{")):
		source.Package = "litellm"
		table, err = readLiteLLM(text, date, current)
	default:
		err = errors.New("the file is neither the data.json of genai-prices, a list, nor LiteLLM's " +
			"model_prices_and_context_window.json, an object")
	}
	if err != nil {
		return nil, err
	}
	providers, err := json.Marshal(table.Providers)
	if err != nil {
		return nil, fmt.Errorf("write the table: %w", err)
	}
	sum = sha256.Sum256(providers)
	source.SHA256 = hex.EncodeToString(sum[:])
	table.Source = source
	return table, nil
}

// check returns an error for a table that cannot be used to price calls.
func (t *Table) check() error {
	models := 0
	for i := range t.Providers {
		p := &t.Providers[i]
		if p.ID == "" {
			return fmt.Errorf("the provider at index %d has no id", i)
		}
		for j := range p.Models {
			if m := &p.Models[j]; m.ID == "" || m.Match == nil || len(m.Prices) == 0 {
				return fmt.Errorf("the model at index %d of %s has no id, no match or no prices", j, p.ID)
			}
			models++
		}
	}
	if models == 0 {
		return errors.New("the table has no models")
	}
	return nil
}

// Amended returns a copy of a published table with the models that the table lacks and the
// program's corrections (see amend).
func Amended(published *Table) (*Table, error) {
	text, err := json.Marshal(published)
	if err != nil {
		return nil, fmt.Errorf("write the table: %w", err)
	}
	t, err := Load(text)
	if err == nil {
		t.amend(ownOverlay())
	}
	return t, err
}

// Newest returns the list by which calls are charged: the list of the effective table in use, if
// its date is not before the date of the program's own table, otherwise the program's own table.
func Newest(used *Effective) (*Table, error) {
	own := Builtin()
	if used == nil {
		return own, nil
	}
	of := used.Table().Source
	if of.Integrity == own.Source.Integrity || cmp.Compare(of.Date, own.Source.Date) < 0 {
		return own, nil
	}
	return Amended(used.Table())
}
