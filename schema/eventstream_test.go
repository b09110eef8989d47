package schema

import (
	"encoding/binary"
	"testing"
)

// eventMessage encodes a message of headers as they stand, without valid checksums.
func eventMessage(headers, payload string) []byte {
	m := binary.BigEndian.AppendUint32(nil, uint32(EventLeast+len(headers)+len(payload)))
	m = binary.BigEndian.AppendUint32(m, uint32(len(headers)))
	return append(append(m, "CRC0"+headers+payload...), "CRC1"...)
}

func TestUnframeEvent(t *testing.T) {
	const event = "\x0b:event-type\x07\x00\x05chunk"
	for _, tc := range []struct {
		name, raw, event, data string
		empty                  bool
	}{
		{"event", string(eventMessage(event, "{}")), "chunk", "{}", false},
		{"exception", string(eventMessage("\x0f:exception-type\x07\x00\x01x", "{}")), "x", "{}", false},
		{"error", string(eventMessage("\x0b:error-code\x07\x00\x03500", "")), "500", "", true},
		{"headers of all types", string(eventMessage("\x01a\x00\x01b\x01\x01c\x02.\x01d\x03..\x01e\x04....\x01f\x05........"+
			"\x01g\x06\x00\x02..\x01h\x08........\x01i\x09................"+event, "{}")), "chunk", "{}", false},
		{"an unknown type of header", string(eventMessage("\x01a\x0a"+event, "{}")), "", "{}", false},
		{"a header cut off", string(eventMessage("\x0b:event-type\x07\x00\x50chunk", "{}")), "", "{}", false},
		{"a name cut off", string(eventMessage("\x50:event", "{}")), "", "{}", false},
		{"cut off", string(eventMessage(event, "{}"))[:20], "", string(eventMessage(event, "{}"))[:20], false},
		{"noise", "noise", "", "noise", false},
	} {
		c, _ := Unframe(&Frame{Transport: EventStream, Raw: []byte(tc.raw)}, nil)
		if c.Event != tc.event || string(c.Data) != tc.data || c.Empty != tc.empty {
			t.Errorf("%s: event %q, data %q, empty %v", tc.name, c.Event, c.Data, c.Empty)
		}
	}
}
