package knownrecordings

import (
	"encoding/json"
	"testing"
)

// Reports state costs as null, as a number, or with their currency.
func TestCostOf(t *testing.T) {
	for text, want := range map[string]string{
		"null": "unknown", "": "unknown", "0.12": "0.12", `"1e-7"`: "0.0000001",
		`{"amount":"1.50","currency":"USD"}`: "1.5", `{"amount":null,"currency":"EUR"}`: "unknown",
		`{"amount":"1.50","currency":"EUR"}`: "costs are recorded in EUR and exported in USD: they are not comparable",
	} {
		d, err := costOf(json.RawMessage(text), "USD")
		got := "unknown"
		if err != nil {
			got = err.Error()
		} else if d != nil {
			got = d.String()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
