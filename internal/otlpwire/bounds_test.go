package otlpwire

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// A request of many tiny items or values is refused while it is read.
func TestBounds(t *testing.T) {
	nested := func(content []byte, nums ...protowire.Number) []byte {
		for _, num := range nums {
			content = appendMessage(nil, num, content, nil)
		}
		return content
	}
	id := append([]byte{1<<3 | 2, 16}, bytes.Repeat([]byte{1}, 16)...)
	empty := func(n int, num byte) []byte { return bytes.Repeat([]byte{num<<3 | 2, 0}, n) }
	list := func(n int) string { return strings.TrimSuffix(strings.Repeat("{},", n), ",") }
	items, values := "more than 100000 spans or log records", "more than 400000 attributes"
	for name, tc := range map[string]struct {
		data []byte
		says string
	}{
		"items":           {nested(empty(100_001, 2), 2, 1), items},
		"as many items":   {nested(empty(100_000, 2), 2, 1), ""},
		"attributes":      {nested(append(bytes.Clone(id), empty(400_000, 9)...), 2, 2, 1), values},
		"events":          {nested(append(bytes.Clone(id), empty(400_000, 11)...), 2, 2, 1), values},
		"resource":        {nested(empty(400_000, 1), 1, 1), values},
		"elements":        {nested(empty(400_000, 1), 5, 2, 1, 1, 1), values},
		"members":         {nested(empty(400_000, 1), 6, 2, 1, 1, 1), values},
		"scopes":          {nested(empty(400_000, 2), 1), values},
		"groups":          {empty(400_001, 1), values},
		"as many groups":  {empty(400_000, 1), ""},
		"json items":      {[]byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[` + list(100_001) + `]}]}]}`), items},
		"json attributes": {[]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[` + list(400_000) + `]}]}]}]}`), values},
		"json events":     {[]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"events":[` + list(400_000) + `]}]}]}]}`), values},
		"json elements":   {[]byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"arrayValue":{"values":[` + list(400_000) + `]}}}]}]}]}`), values},
		"json members":    {[]byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"kvlistValue":{"values":[` + list(400_000) + `]}}}]}]}]}`), values},
		"json values":     {[]byte(`{"x":[` + strings.Repeat("1,", 2_000_000) + `1],"resourceSpans":[]}`), "more than 2000000 values in JSON"},
		"json text":       {[]byte(`{"resourceSpans":[{"x":"\"` + strings.Repeat(",", 2_000_000) + `"}]}`), ""},
		"json groups":     {[]byte(`{"resourceSpans":[` + list(400_001) + `]}`), values},
	} {
		_, err := Parse(tc.data)
		if tc.says == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, ok := errors.AsType[*BoundError](err); tc.says != "" && (!ok || !strings.Contains(err.Error(), tc.says)) {
			t.Errorf("%s: %v, want %q", name, err, tc.says)
		}
	}
}
