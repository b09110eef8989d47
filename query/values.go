package query

import (
	"encoding/json"
	"time"
)

// Named is the name, nil for "".
func Named(name string) *string {
	if name == "" {
		return nil
	}
	return &name
}

// Text returns the text that Named made a pointer to, "" for nil.
func Text(name *string) string {
	if name == nil {
		return ""
	}
	return *name
}

// RawJSON is text that is JSON, and nil, which is null, for any other.
func RawJSON(text string) json.RawMessage {
	if text == "" || !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}

// OrEmpty is the list, empty instead of nil: "[]" in JSON.
func OrEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// Since is the time from one moment to another, ns since 1970; never negative, as
// the clock of a recorder may be ahead of this one.
func Since(now, then int64) time.Duration { return time.Duration(max(now-then, 0)) }
