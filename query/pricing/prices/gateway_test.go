package prices_test

import (
	"errors"
	"testing"
	"time"

	"tapedeck/query/pricing/prices"
)

// TestGatewayIDs finds the entry that a model's id names, also where a dialect states the maker
// as the provider. Prices are those that the table has for the entry's provider.
func TestGatewayIDs(t *testing.T) {
	at := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct{ stated, model, provider, input string }{
		{"anthropic", "claude-sonnet-4-6", "anthropic", "3"},
		{"anthropic", "anthropic/claude-sonnet-4.6", "openrouter", "3"},
		{"", "anthropic/claude-sonnet-4.6", "openrouter", "3"},
		{"anthropic", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "aws", "3.3"},
		{"anthropic", "us.anthropic.claude-opus-5-v1:0", "aws", "5.5"},
		{"anthropic", "global.anthropic.claude-opus-5-v1:0", "aws", "5"},
		{"", "us.anthropic.claude-opus-5-v1:0", "aws", "5.5"},
		{"bedrock", "us.anthropic.claude-opus-5-v1:0", "aws", "5.5"},
		{"anthropic", "bedrock/us.anthropic.claude-opus-5-v1:0", "aws", "5.5"},
		{"anthropic", "anthropic/claude-opus-4-8", "anthropic", "5"},
		{"anthropic", "openai/gpt-6-sol", "openrouter", ""},
		{"openai", "openai/gpt-6.1-sol", "openai", "2"},
		{"anthropic", "glm-4.6", "zai", "0.6"},
		{"anthropic", "kimi-k3", "moonshotai", "3"},
		{"openrouter", "anthropic/claude-sonnet-4.6", "openrouter", "3"},
		{"anthropic", "nobody/nothing-1", "", ""},
		{"together", "kimi-k3-unknown", "", ""},
	} {
		q, err := prices.Standard().Quote(prices.Call{Provider: tc.stated, Model: tc.model, At: at}, 1000)
		if tc.provider == "" {
			if _, ok := errors.AsType[*prices.Unpriced](err); !ok {
				t.Errorf("%s of %q is priced as %s of %s, expected no price", tc.model, tc.stated, q.Model.ID, q.Provider.ID)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s of %q: %v, expected an entry of %s", tc.model, tc.stated, err, tc.provider)
			continue
		}
		if got := q.Charged["input_mtok"].Base.String(); q.Provider.ID != tc.provider || tc.input != "" && got != tc.input {
			t.Errorf("%s of %q: %s at %s, priced as %s; expected %s at %s", tc.model, tc.stated, q.Provider.ID, got, q.Model.ID, tc.provider, tc.input)
		}
	}
}

// TestInexact tells names of a model and its snapshots from names that only begin alike.
func TestInexact(t *testing.T) {
	for _, tc := range []struct{ provider, model, want string }{
		{"anthropic", "claude-sonnet-4-5-20250929", ""},
		{"anthropic", "claude-opus-4-6", ""},
		{"anthropic", "claude-opus-5[1m]", ""},
		{"anthropic", "claude-haiku-5-5", ""},
		{"anthropic", "claude-sonnet-5-5-20260928", ""},
		{"anthropic", "claude-3-7-sonnet-latest", ""},
		{"anthropic", "claude-sonnet-5-7", "claude-sonnet-5"},
		{"openai", "gpt-5-2025-08-07", ""},
		{"openai", "gpt-6.1-sol-2026-09-29", ""},
		{"google", "gemini-3.8-flash", ""},
		{"google", "gemini-3.8-flash-lite", "gemini-3.8-flash"},
		{"google", "gemini-2.5-pro-preview-05-06", ""},
		{"anthropic", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", ""},
		{"deepseek", "deepseek-v4-pro-0813", ""},
		{"deepseek", "deepseek-v4-flash-vision-exp", "deepseek-v4-flash"},
		{"anthropic", "claude-nothing", ""},
	} {
		if got := prices.Standard().Inexact(tc.provider, tc.model); got != tc.want {
			t.Errorf("%s of %s is priced as %q, expected %q", tc.model, tc.provider, got, tc.want)
		}
	}
}
