package schema

import (
	"bytes"
	"maps"
	"slices"
)

// natsHeadEnd ends the head of a NATS message.
var natsHeadEnd = []byte("\r\n\r\n")

// AppendNATS appends a message of a NATS subject in the form of a frame. The first line has the
// subject and, after a space, the reply subject if there is one. A line "name: value" follows for
// each header, sorted by name, with the values of one name in their order. Then follow an empty
// line and the payload. Lines end with CR LF. Names and values are not changed.
func AppendNATS(dst []byte, subject, reply string, header map[string][]string, payload []byte) []byte {
	dst = append(dst, subject...)
	if reply != "" {
		dst = append(append(dst, ' '), reply...)
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			dst = append(append(dst, "\r\n"...), name...)
			dst = append(append(dst, ": "...), value...)
		}
	}
	return append(append(dst, natsHeadEnd...), payload...)
}

// CutNATS splits the bytes of AppendNATS into the head, including the empty line, and the payload.
// The head is nil if raw has none; then all of raw is the payload.
func CutNATS(raw []byte) (head, payload []byte) {
	at := bytes.Index(raw, natsHeadEnd)
	if at < 0 {
		return nil, raw
	}
	at += len(natsHeadEnd)
	return raw[:at:at], raw[at:]
}
