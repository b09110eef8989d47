package dialecttest

import (
	"encoding/binary"
	"hash/crc32"
	"strings"
)

// eventMessage encodes a message of application/vnd.amazon.eventstream: an exception if the name
// is one, otherwise an event.
func eventMessage(name, payload string) []byte {
	kind, message := ":event-type", "event"
	if strings.HasSuffix(name, "Exception") {
		kind, message = ":exception-type", "exception"
	}
	headers := eventHeader(nil, kind, name)
	headers = eventHeader(headers, ":message-type", message)
	m := binary.BigEndian.AppendUint32(nil, uint32(16+len(headers)+len(payload)))
	m = binary.BigEndian.AppendUint32(m, uint32(len(headers)))
	m = binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m))
	m = append(append(m, headers...), payload...)
	return binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m))
}

// eventHeader appends a header that is a string.
func eventHeader(headers []byte, name, value string) []byte {
	headers = append(append(headers, byte(len(name))), name...)
	headers = binary.BigEndian.AppendUint16(append(headers, 7), uint16(len(value)))
	return append(headers, value...)
}
