package schema_test

import (
	"testing"

	"tapedeck/schema"
)

// TestElements: the text between the elements of a JSON array is no part of their
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

// TestHead: the beginning of a conversation's object is an object of the members before its
// messages. Only the framer's heads are: a line has an end, or is whole, or is marked.
func TestHead(t *testing.T) {
	for _, test := range []struct {
		raw, data string
		seq       uint64
		flags     schema.Flags
	}{
		{raw: "\xef\xbb\xbf{\n  \"sessionId\": \"s\",\n  \"projectHash\": \"h\",\n  \"messages\": ", data: "{\n  \"sessionId\": \"s\",\n  \"projectHash\": \"h\"}"},
		{raw: `{"sessionId":"s","messages":`, data: `{"sessionId":"s"}`, seq: 3},
		{raw: `{"messages":`, data: `{"messages":`, flags: schema.FlagUnterminated},
		{raw: `{"messages":`, data: `{"messages":`, flags: schema.FlagOversize},
		{raw: "{\"messages\":\n", data: `{"messages":`},
		{raw: `"messages":`, data: `"messages":`},
		{raw: `{"massages":`, data: `{"massages":`},
		{raw: `:`, data: `:`},
	} {
		f := schema.Frame{Seq: test.seq, Transport: schema.NDJSON, Flags: test.flags, Raw: []byte(test.raw)}
		c, _ := schema.Unframe(&f, []byte("room"))
		if string(c.Data) != test.data || c.Empty {
			t.Errorf("%q is %q, empty %v; want %q", test.raw, c.Data, c.Empty, test.data)
		}
	}
}
