package httpreplay

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"slices"
)

// fingerprint is equal for bodies that are equivalent.
type fingerprint [sha256.Size]byte

// volatile lists request members that identify the caller and the time, not the content.
var volatile = []string{
	"user", "metadata", "prompt_cache_key", "safety_identifier", "service_tier",
	"request_id", "client_request_id", "idempotency_key", "timestamp",
}

// fingerprintOf returns the fingerprint of a body without the members in secret, whose
// values were not recorded.
func fingerprintOf(body []byte, secret ...string) fingerprint {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	d.UseNumber() // so that long numbers are not rounded
	var v any
	if err := d.Decode(&v); err != nil {
		return sha256.Sum256(body)
	}
	if _, err := d.Token(); err != io.EOF {
		return sha256.Sum256(body)
	}
	if o, ok := v.(map[string]any); ok {
		for _, name := range slices.Concat(volatile, secret) {
			delete(o, name)
		}
	}
	text, err := json.Marshal(v) // members in order
	if err != nil {
		return sha256.Sum256(body)
	}
	return sha256.Sum256(text)
}
