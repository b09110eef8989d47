package schema

import "encoding/binary"

// EventMessage is a message of the encoding application/vnd.amazon.eventstream:
//
//	4 bytes total length, 4 bytes length of the headers, 4 bytes CRC-32 of these 8,
//	headers, payload, 4 bytes CRC-32 of all before
//
// Numbers are big-endian. An EventMessage aliases the bytes from which it was parsed.
type EventMessage struct {
	headers []byte
	Payload []byte
}

// Sizes of an EventMessage, bytes.
const (
	EventPrelude = 12
	EventLeast   = EventPrelude + 4 // minimum size of a message
)

// EventLengths reads the two lengths at the beginning of a message. ok is false if there are not
// enough bytes or the lengths are inconsistent.
func EventLengths(raw []byte) (total, headers int, ok bool) {
	if len(raw) < EventPrelude {
		return 0, 0, false
	}
	t, h := binary.BigEndian.Uint32(raw), binary.BigEndian.Uint32(raw[4:])
	return int(t), int(h), t >= EventLeast && h <= t-EventLeast
}

// ParseEventMessage parses a complete message. ok is false if the number of bytes differs from the
// length in the message. Checksums are not verified.
func ParseEventMessage(raw []byte) (m EventMessage, ok bool) {
	total, headers, ok := EventLengths(raw)
	if !ok || total != len(raw) {
		return m, false
	}
	end := EventPrelude + headers
	return EventMessage{headers: raw[EventPrelude:end], Payload: raw[end : total-4]}, true
}

// Header returns the value of a string header; nil if there is none.
func (m EventMessage) Header(name string) []byte {
	rest := m.headers
	for len(rest) > 1 {
		n := int(rest[0])
		if len(rest) < n+2 {
			return nil
		}
		key, kind := rest[1:1+n], rest[1+n]
		rest = rest[2+n:]
		size, ok := eventValue(kind, rest)
		if !ok {
			return nil
		}
		if kind == eventString && string(key) == name {
			return rest[2:size]
		}
		rest = rest[size:]
	}
	return nil
}

// Types of header values that are preceded by their length.
const (
	eventBytes  = 6
	eventString = 7
)

// eventSizes has the lengths of header values by type, bytes: true, false, byte, short, integer,
// long, bytes, string, timestamp, UUID. For bytes and string it is the size of the length field.
var eventSizes = [...]int{0, 0, 1, 2, 4, 8, 2, 2, 8, 16}

// eventValue returns the length of a header's value, including its length field.
func eventValue(kind byte, rest []byte) (size int, ok bool) {
	if int(kind) >= len(eventSizes) {
		return 0, false
	}
	size = eventSizes[kind]
	if (kind == eventBytes || kind == eventString) && len(rest) >= 2 {
		size += int(binary.BigEndian.Uint16(rest))
	}
	return size, len(rest) >= size
}

// Event returns the name of the event or exception in the message, or the code of its error.
func (m EventMessage) Event() []byte {
	for _, name := range [...]string{":event-type", ":exception-type", ":error-code"} {
		if value := m.Header(name); value != nil {
			return value
		}
	}
	return nil
}

// unframeEvent removes the framing of an event stream. Bytes that are not a complete message are
// returned unchanged.
func unframeEvent(raw []byte) Content {
	m, ok := ParseEventMessage(raw)
	if !ok {
		return Content{Data: raw, Empty: len(raw) == 0}
	}
	return Content{Data: m.Payload, Event: string(m.Event()), Empty: len(m.Payload) == 0}
}
