package grouping

import (
	"encoding/json"
	"fmt"
	"strings"

	"tapedeck/query"
)

// TagPrefix is the prefix of a grouping by a tag, such as "tag:customer".
const TagPrefix = "tag:"

// Group maps the name of each grouping to the value of a row; nil if the row has none.
type Group map[string]*string

// NewGroup returns the group of a row: values[i] is the value of the grouping by[i], "" for none.
func NewGroup(by, values []string) Group {
	g := Group{}
	for i, name := range by {
		g[name] = query.Named(values[i])
	}
	return g
}

// MarshalRow returns a row as one JSON object with the group's values and the fields of the given
// structs.
func MarshalRow(g Group, parts ...any) ([]byte, error) {
	out := []byte{'{'}
	for _, part := range append(parts, map[string]*string(g)) {
		text, err := json.Marshal(part)
		if err != nil {
			return nil, err
		}
		if inner := text[1 : len(text)-1]; len(inner) > 0 {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(out, inner...)
		}
	}
	return append(out, '}'), nil
}

// UnmarshalRow parses a row of MarshalRow into pointers to structs, and returns its group. The
// group has the names that groupings allows.
func UnmarshalRow(text []byte, groupings []string, parts ...any) (Group, error) {
	for _, part := range parts {
		if err := json.Unmarshal(text, part); err != nil {
			return nil, err
		}
	}
	return groupOf(text, groupings)
}

// groupOf parses the group of a row's JSON: the fields that groupings allows.
func groupOf(text []byte, groupings []string) (Group, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	g := Group{}
	for name, raw := range all {
		if !isGrouping(name, groupings) {
			continue
		}
		var value *string
		if err := json.Unmarshal(raw, &value); err != nil {
			return nil, fmt.Errorf("group %s: %w", name, err)
		}
		g[name] = value
	}
	return g, nil
}

func isGrouping(name string, groupings []string) bool {
	for _, g := range groupings {
		if name == g || g == TagPrefix && strings.HasPrefix(name, TagPrefix) {
			return true
		}
	}
	return false
}
