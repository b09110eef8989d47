package query

import (
	"encoding/json"
	"time"
)

// Named returns a pointer to a name, nil for "".
func Named(name string) *string {
	if name == "" {
		return nil
	}
	return &name
}

// Text returns the text to which a pointer of Named points, "" for nil.
func Text(name *string) string {
	if name == nil {
		return ""
	}
	return *name
}

// RawJSON returns a text that is valid JSON, and nil, which is null in JSON, for any other text.
func RawJSON(text string) json.RawMessage {
	if text == "" || !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}

// OrEmpty returns the list, or an empty one for nil: "[]" in JSON.
func OrEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// Since returns the time from then to now, both in ns since 1970. It is never negative, since the
// clock of a recorder may be ahead.
func Since(now, then int64) time.Duration { return time.Duration(max(now-then, 0)) }
