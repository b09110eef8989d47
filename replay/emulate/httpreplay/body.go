package httpreplay

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
)

// fingerprint is equal for bodies that are equivalent.
type fingerprint [sha256.Size]byte

// volatile lists request members that identify the caller and the time, not the content.
var volatile = []string{
	"user", "metadata", "prompt_cache_key", "safety_identifier", "service_tier",
	"request_id", "client_request_id", "idempotency_key", "timestamp",
}

// fingerprintOf returns the fingerprint of a body. It leaves out the texts at the places in secret,
// whose values were not recorded.
func fingerprintOf(body []byte, secret ...place) fingerprint {
	v, ok := parsed(body)
	if !ok {
		return sha256.Sum256(body)
	}
	if o, ok := v.(map[string]any); ok {
		for _, name := range volatile {
			delete(o, name)
		}
	}
	for _, p := range secret {
		p.remove(v)
	}
	text, err := json.Marshal(v) // members in order
	if err != nil {
		return sha256.Sum256(body)
	}
	return sha256.Sum256(text)
}

// parsed returns the value of a JSON body.
func parsed(body []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	d.UseNumber() // so that long numbers are not rounded
	if err := d.Decode(&v); err != nil {
		return nil, false
	}
	_, err := d.Token()
	return v, err == io.EOF
}

// place is the location of a value in JSON: names of members and array indexes, the outermost
// first.
type place []any

// maskedIn returns the places of masked texts in a recorded body, and of arrays of masked texts.
func maskedIn(body []byte) (places []place) {
	if !bytes.Contains(body, []byte(redacted[:len(redacted)-1])) {
		return nil
	}
	v, ok := parsed(body)
	if !ok {
		return nil
	}
	var find func(v any, at place) bool
	find = func(v any, at place) bool {
		switch v := v.(type) {
		case string:
			return isMask(v)
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if inner := append(slices.Clone(at), name); find(v[name], inner) {
					places = append(places, inner)
				}
			}
		case []any:
			var inner []place
			for i := range v {
				if p := append(slices.Clone(at), i); find(v[i], p) {
					inner = append(inner, p)
				}
			}
			if len(inner) == len(v) && len(v) > 0 {
				return true
			}
			places = append(places, inner...)
		}
		return false
	}
	find(v, nil)
	return places
}

// isMask reports whether a text is a masked secret: Mask or the placeholder of a rule, with or
// without an authentication scheme before it.
func isMask(text string) bool {
	if _, rest, ok := strings.Cut(text, " "); ok {
		text = rest
	}
	return strings.HasPrefix(text, redacted[:len(redacted)-1]) && strings.IndexByte(text, ']') == len(text)-1
}

// remove removes the value at the place from v.
func (p place) remove(v any) {
	for i, step := range p {
		last := i+1 == len(p)
		switch step := step.(type) {
		case string:
			o, ok := v.(map[string]any)
			if !ok {
				return
			}
			if last {
				delete(o, step)
			}
			v = o[step]
		case int:
			list, ok := v.([]any)
			if !ok || step >= len(list) {
				return
			}
			if last {
				list[step] = nil
				return
			}
			v = list[step]
		}
	}
}
