package schema_test

import (
	"strings"
	"testing"

	"tapedeck/schema"
)

func TestStateCost(t *testing.T) {
	tokens := schema.Tokens{Output: 1}
	for _, tc := range []struct {
		stated string
		tokens schema.Tokens
		want   string
	}{
		{"0.0125", tokens, "0.0125"},
		{"12", tokens, "12"},
		{"1.5e-05", tokens, "1.5e-05"},
		{"1E+2", tokens, "1E+2"},
		{"0", tokens, ""},
		{"0.000", tokens, ""},
		{"0e5", tokens, ""},
		{"0", schema.Tokens{}, "0"},
		{"", tokens, ""},
		{"-1", tokens, ""},
		{"01", tokens, ""},
		{".5", tokens, ""},
		{"1.", tokens, ""},
		{"1e", tokens, ""},
		{"1e100", tokens, ""},
		{"1,5", tokens, ""},
		{"NaN", tokens, ""},
		{"0." + strings.Repeat("1", 62), tokens, "0." + strings.Repeat("1", 62)},
		{"0." + strings.Repeat("1", 63), tokens, ""},
	} {
		u := schema.Usage{Tokens: tc.tokens, Billing: schema.Billing{Cost: "7", Currency: "EUR"}}
		u.StateCost(tc.stated, "USD")
		if u.Cost != tc.want || u.Currency != map[bool]string{true: "USD"}[tc.want != ""] {
			t.Errorf("%q with %d tokens: %q %q, want %q", tc.stated, tc.tokens.Sum(), u.Cost, u.Currency, tc.want)
		}
	}
}
