package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/query/pricing/prices"
)

// TestWrite takes a table in LiteLLM's form into a copy of the program's: the file has the hash of
// its providers, is read again, has the new price, and an older table is refused.
func TestWrite(t *testing.T) {
	own, err := os.ReadFile("../../query/pricing/prices/table.json")
	if err != nil {
		t.Fatal(err)
	}
	table, file := filepath.Join(t.TempDir(), "table.json"), filepath.Join(t.TempDir(), "litellm.json")
	published := `{"gpt-9-sol":{"litellm_provider":"openai","mode":"chat","input_cost_per_token":1e-06,"output_cost_per_token":2e-06}}`
	for path, text := range map[string][]byte{table: own, file: []byte(published)} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(file, table, "2020-01-01"); err == nil || !strings.Contains(err.Error(), "older than the table") {
		t.Errorf("an older table: %v", err)
	}
	if err := run(file, table, "2030-01-01"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	var parts struct{ Providers json.RawMessage }
	if err := json.Unmarshal(text, &parts); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(bytes.ReplaceAll(parts.Providers, []byte("\n"), nil))
	written, err := prices.Load(text)
	if err != nil {
		t.Fatal(err)
	}
	if written.Source.SHA256 != hex.EncodeToString(sum[:]) || written.Source.Date != "2030-01-01" || written.Source.Package != "litellm" {
		t.Errorf("source %+v, the providers have the hash %x", written.Source, sum)
	}
	if _, m, _, err := written.Find(prices.Call{Provider: "openai", Model: "gpt-9-sol"}); err != nil || m.Prices[0].Prices["output_mtok"].Base.String() != "2" {
		t.Errorf("the new model: %+v, %v", m, err)
	}
	if before, after := bytes.Count(own, []byte("\n")), bytes.Count(text, []byte("\n")); after != before+1 {
		t.Errorf("%d lines of %d, expected one more: the model's", after, before)
	}
}
