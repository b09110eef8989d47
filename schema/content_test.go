package schema_test

import (
	"testing"

	"tapedeck/schema"
)

// TestElements: what stands between the elements of a JSON array is no part of their
// messages.
func TestElements(t *testing.T) {
	for _, test := range []struct {
		raw, data string
		seq       uint64
		flags     schema.Flags
	}{
		{raw: "\xef\xbb\xbf[\r\n  {\"a\":[1]}", data: `{"a":[1]}`},
		{raw: "[{}", data: "{}"},
		{raw: "\n,\n {\"a\":1}", data: `{"a":1}`, seq: 1},
		{raw: ", \"x\"", data: `"x"`, seq: 1},
		{raw: ",7", data: "7", seq: 1},
		{raw: "\n]\n", flags: schema.FlagNote, data: "\n]", seq: 2},
		{raw: "[{}]\n", data: "[{}]"},
		{raw: "[{},{}]", data: "[{},{}]"},
		{raw: "[1\n", data: "[1"},
		{raw: ", not JSON\n", data: ", not JSON", seq: 1},
	} {
		f := schema.Frame{Seq: test.seq, Transport: schema.NDJSON, Flags: test.flags, Raw: []byte(test.raw)}
		c, _ := schema.Unframe(&f, nil)
		if string(c.Data) != test.data || c.Empty != (test.flags == schema.FlagNote) {
			t.Errorf("%q is %q, empty %v; want %q", test.raw, c.Data, c.Empty, test.data)
		}
	}
}
