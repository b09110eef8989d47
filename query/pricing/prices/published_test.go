package prices_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/internal/fulltest"
	"tapedeck/query/pricing/prices"
)

// litellm is a table in LiteLLM's form, whose figures are ours: dollars for a token.
const litellm = `{
  "sample_spec": {"input_cost_per_token": 0, "litellm_provider": "one of https://docs.litellm.ai/docs/providers", "mode": "one of: chat, embedding"},
  "claude-opus-5": {"input_cost_per_token": 6e-06, "output_cost_per_token": 2.5e-05, "cache_read_input_token_cost": 5e-07,
    "cache_creation_input_token_cost": 6.25e-06, "cache_creation_input_token_cost_above_1hr": 1e-05, "litellm_provider": "anthropic", "mode": "chat"},
  "gpt-6-sol": {"input_cost_per_token": 2e-06, "input_cost_per_token_above_272k_tokens": 4e-06, "output_cost_per_token": 1e-05,
    "output_cost_per_token_above_272k_tokens": 1.5e-05, "cache_read_input_token_cost": 2e-07, "litellm_provider": "openai", "mode": "chat"},
  "xai/grok-9": {"input_cost_per_token": 3e-06, "input_cost_per_token_above_200k_tokens": 6e-06, "output_cost_per_token": 1.5e-05,
    "litellm_provider": "xai", "mode": "chat"},
  "gemini/gemini-3.8-flash-lite": {"input_cost_per_token": 1e-07, "output_cost_per_token": 4e-07, "litellm_provider": "gemini", "mode": "chat"},
  "free": {"input_cost_per_token": 0, "output_cost_per_token": 0, "litellm_provider": "openai", "mode": "chat"},
  "dall-e-3": {"output_cost_per_image": 0.04, "litellm_provider": "openai", "mode": "image_generation"},
  "deepseek/deepseek-v4-pro": {"input_cost_per_token": 9e-06, "output_cost_per_token": 9e-06, "off_peak_pricing": {"any": 1}, "litellm_provider": "deepseek", "mode": "chat"}
}`

func effectiveOf(t *testing.T, text, date string) *prices.Effective {
	t.Helper()
	table, err := prices.ReadPublished([]byte(text), date, prices.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	amended, err := prices.Amended(table)
	if err != nil {
		t.Fatal(err)
	}
	e, err := prices.Combine(amended, prices.Overlay(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func million(t *testing.T, e *prices.Effective, provider, model, at, unit string, size int64) string {
	t.Helper()
	when, err := time.Parse(time.RFC3339, at)
	if err != nil {
		t.Fatal(err)
	}
	cell := prices.Cell{Call: prices.Call{Provider: provider, Model: model, At: when}, InputTokens: size, Calls: 1}
	cost, err := e.PriceCell(cell, prices.Usage{unit: decimal.NewFromInt(1_000_000)})
	if err != nil {
		return err.Error()
	}
	return cost.Total.String()
}

// TestLiteLLM takes LiteLLM's prices from the table's date on: what was before keeps its price.
func TestLiteLLM(t *testing.T) {
	e := effectiveOf(t, litellm, "2026-11-20")
	for _, tc := range []struct {
		provider, model, at, unit string
		size                      int64
		want                      string
	}{
		{"anthropic", "claude-opus-5", "2026-11-19T23:59:59Z", prices.InputTokens, 1, "5"},
		{"anthropic", "claude-opus-5", "2026-11-20T00:00:00Z", prices.InputTokens, 1, "6"},
		{"anthropic", "claude-opus-5", "2026-11-20T00:00:00Z", prices.OutputTokens, 1, "25"},
		{"openai", "gpt-6-sol", "2026-11-20T00:00:00Z", prices.OutputTokens, 272_000, "10"},
		{"openai", "gpt-6-sol", "2026-11-20T00:00:00Z", prices.OutputTokens, 272_001, "15"},
		{"xai", "grok-9", "2026-06-01T00:00:00Z", prices.InputTokens, 200_000, "3"},
		{"xai", "grok-9", "2026-06-01T00:00:00Z", prices.InputTokens, 200_001, "6"},
		{"google", "gemini-3.8-flash-lite", "2026-11-20T00:00:00Z", prices.InputTokens, 1, "0.1"},
		{"google", "gemini-3.8-flash", "2026-11-20T00:00:00Z", prices.InputTokens, 1, "0.75"},
		{"deepseek", "deepseek-v4-pro", "2026-11-20T02:00:00Z", prices.InputTokens, 1, "1.32"},
	} {
		if got := million(t, e, tc.provider, tc.model, tc.at, tc.unit, tc.size); got != tc.want {
			t.Errorf("a million %s of %s at %s in calls of %d: %s, expected %s", tc.unit, tc.model, tc.at, tc.size, got, tc.want)
		}
	}
	if s := e.Table().Source; s.Package != "litellm" || s.Date != "2026-11-20" || !strings.HasPrefix(s.Integrity, "sha256:") {
		t.Errorf("source %+v", s)
	}
}

// TestGenAIPrices replaces the list by genai-prices' data as its repository publishes it. The
// models that it lacks come from the overlay, and OpenAI's limit is the same.
func TestGenAIPrices(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(shared, "data.json"))
	if errors.Is(err, fs.ErrNotExist) {
		fulltest.Missing(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	e := effectiveOf(t, string(text), "2026-12-01")
	for _, tc := range []struct {
		provider, model string
		size            int64
		want            string
	}{
		{"anthropic", "claude-opus-4-6", 1, "5"},
		{"anthropic", "claude-fable-5-2", 1, "8"},
		{"openai", "gpt-5.4", 272_000, "2.5"},
		{"openai", "gpt-5.4", 272_001, "5"},
	} {
		if got := million(t, e, tc.provider, tc.model, "2026-12-01T12:00:00Z", prices.InputTokens, tc.size); got != tc.want {
			t.Errorf("a million tokens of %s in calls of %d: %s, expected %s", tc.model, tc.size, got, tc.want)
		}
	}
	again, err := prices.LoadEffective(e.Text())
	if err != nil || again.Hash() != e.Hash() {
		t.Fatalf("its text read again: %v", err)
	}
	// A program starts with the stored table: it is newer than its own.
	newest, err := prices.WithList(again, nil)
	if err != nil || newest.Hash() != e.Hash() {
		t.Errorf("the newest list has the hash %s (%v), expected %s", newest.Hash(), err, e.Hash())
	}
}

// TestPublishedRefused names what is wrong with a table.
func TestPublishedRefused(t *testing.T) {
	for _, tc := range []struct{ text, date, want string }{
		{litellm, "", "is no date"},
		{litellm, "2026-13-01", "is no date"},
		{"", "2026-11-20", "neither the data.json"},
		{"prices: []", "2026-11-20", "neither the data.json"},
		{"[]", "2026-11-20", "no models"},
		{`[{"id":"p","models":[{"id":"m","match":{"equals":"m"},"prices":{"input_mtok":-1}}]}]`, "2026-11-20", "negative"},
		{`[{"id":"p","models":[{"id":"m"}]}]`, "2026-11-20", "no match"},
		{`{"a":1}`, "2026-11-20", "entry a"},
		{`{"gpt-9":{"litellm_provider":"openai"}}`, "2026-11-20", "not LiteLLM"},
		{`{"gpt-9":{"litellm_provider":"openai","input_cost_per_token":"much"}}`, "2026-11-20", "gpt-9"},
	} {
		if _, err := prices.ReadPublished([]byte(tc.text), tc.date, prices.Builtin()); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%.40s of %q: %v, expected %q", tc.text, tc.date, err, tc.want)
		}
	}
}
