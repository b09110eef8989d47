package ingesthttp

import (
	"testing"

	"tapedeck/ingest/delivery/keys"
	"tapedeck/schema"
)

func TestStandIn(t *testing.T) {
	for _, tc := range []struct {
		transport schema.Transport
		flags     schema.Flags
		raw       string
		sent      keys.Sent
		want      string
	}{
		{raw: `{"a":"[redacted]"}` + "\n", sent: keys.Sent{Length: 19}, want: `{"a":"[redacted]"}` + "\n"},
		{raw: `{"a":"[redacted:x#1]"}` + "\n", sent: keys.Sent{Length: 26, LineEnd: "\n", Masked: true}, want: `{"a":"[redactedxxx:x#1]"}` + "\n"},
		{raw: `{"a":"[redacted:x#1]"}` + "\n", sent: keys.Sent{Length: 20, LineEnd: "\n", Masked: true}, want: `{"a":"dacted:x#1]"}` + "\n"},
		{raw: "[redacted:x#1] and [redacted:x#2]\r\n", sent: keys.Sent{Length: 9, LineEnd: "\r\n", Masked: true}, want: " and 2]\r\n"},
		{raw: "the rest of it\r\n", sent: keys.Sent{Length: 18, LineEnd: "\r\n", Masked: true}, want: "the rest of itxx\r\n"},
		{raw: "no end", sent: keys.Sent{Length: 8, Masked: true}, want: "no endxx"},
		{raw: "", sent: keys.Sent{Length: 8, LineEnd: "\n", Masked: true}, want: "xxxxxxx\n"},
		{raw: "data: [redacted:x#1]\n", sent: keys.Sent{Length: 8, LineEnd: "\n\n", Masked: true}, want: "xxxxxx\n\n"},
		{transport: schema.EventStream, raw: "message", sent: keys.Sent{Length: 9, LineEnd: "\n", Masked: true}, want: "message"},
		{transport: schema.EventStream, flags: schema.FlagOversize, raw: "a piece", sent: keys.Sent{Length: 9, LineEnd: "\n", Masked: true}, want: "a piecexx"},
	} {
		f := &schema.Frame{Transport: tc.transport, Flags: tc.flags, Raw: []byte(tc.raw)}
		if got := string(standIn(f, tc.sent)); got != tc.want || string(f.Raw) != tc.raw {
			t.Errorf("%q for %+v is %q, want %q", tc.raw, tc.sent, got, tc.want)
		}
	}
}
