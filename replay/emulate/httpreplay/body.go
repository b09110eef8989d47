package httpreplay

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"slices"
)

// print is what two bodies that mean the same have in common.
type fingerprint [sha256.Size]byte

// volatile are members of requests that say who asks and when, not what.
var volatile = []string{
	"user", "metadata", "prompt_cache_key", "safety_identifier", "service_tier",
	"request_id", "client_request_id", "idempotency_key", "timestamp",
}

// printOf reads a body without the members in secret, whose values were not recorded.
func fingerprintOf(body []byte, secret ...string) fingerprint {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	d.UseNumber() // so that long ones stay as they are
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
