package exchange

import (
	"testing"

	"tapedeck/schema/secrets"
)

// A body is found again though its secrets were not recorded; another is not.
func TestPrintWithoutSecrets(t *testing.T) {
	recorded := []byte(`{"api_key":"[redacted]","model":"m","mine":"[redacted]"}`)
	secret := secrets.Masked(recorded)
	sum := printOf(recorded, secret...)
	for body, same := range map[string]bool{
		`{"model":"m","api_key":"sk-1","mine":"x"}`: true,
		`{"model":"other","api_key":"sk-1"}`:        false,
	} {
		if (printOf([]byte(body), secret...) == sum) != same {
			t.Errorf("%s is the recorded body: %v", body, !same)
		}
	}
}
