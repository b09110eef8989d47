// Package agentsettings changes the settings of coding agents, and keeps what else is in them.
package agentsettings

import (
	"bytes"
	"encoding/json"

	"github.com/tailscale/hujson"
)

// Operation is one of a JSON patch (RFC 6902).
type Operation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value,omitempty"`
}

// Patch applies operations to a text, which keeps its order, its comments and its indentation.
func Patch(text []byte, ops []Operation) ([]byte, error) {
	v, err := hujson.Parse(text)
	if err != nil {
		return nil, err
	}
	patch, err := json.Marshal(ops)
	if err != nil {
		return nil, err
	}
	if err := v.Patch(patch); err != nil {
		return nil, err
	}
	for _, indent := range []string{"  ", "    ", "\t"} {
		if indented(text, indent) {
			var out bytes.Buffer
			err := json.Indent(&out, v.Pack(), "", indent)
			return out.Bytes(), err
		}
	}
	return v.Pack(), nil // it has a layout of its own
}

// indented reports whether a text is JSON with an indentation for each level.
func indented(text []byte, indent string) bool {
	var out bytes.Buffer
	return json.Indent(&out, text, "", indent) == nil && bytes.Equal(out.Bytes(), text)
}
