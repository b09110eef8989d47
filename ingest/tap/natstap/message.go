package natstap

import (
	"bytes"
	"unicode/utf8"

	"github.com/nats-io/nats.go"

	"tapedeck/ingest"
	"tapedeck/internal/secrets"
	"tapedeck/schema"
)

// message is a NATS message.
type message struct {
	subject, reply string
	header         nats.Header
	data           []byte
	at             int64  // arrival, ns; with JetStream the time at which the server stored the message
	number         uint64 // sequence in the JetStream stream; 0 without
	ack            func() // acknowledges it; nil if that is not needed
}

// session returns the session that the message's subject or a header names, "" if there is none.
func (t *tap) session(m *message) string {
	name := ""
	if t.opts.SessionHeader != "" {
		name = header(m.header, t.opts.SessionHeader)
	}
	if name == "" && t.opts.SessionToken > 0 {
		name = token(m.subject, t.opts.SessionToken)
	}
	if name == "" {
		return ""
	}
	id := ingest.SessionID(name)
	if id != name { // in a name that is shortened or escaped, a secret might no longer be recognized
		id = ingest.SessionID(t.masked(name))
	}
	return id
}

// header returns the first value of a header. An exact match of the name takes precedence over a
// match that ignores case.
func header(h nats.Header, name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	for other, values := range h {
		if len(values) > 0 && len(other) == len(name) && bytes.EqualFold([]byte(other), []byte(name)) {
			return values[0]
		}
	}
	return ""
}

// raw appends the bytes of the message's frame. Values of headers that are secret by their names
// are masked.
func (t *tap) raw(dst []byte, m *message) (raw []byte, flags schema.Flags) {
	h := map[string][]string(m.header)
	if t.opts.Headers != nil && len(h) > 0 {
		h = make(map[string][]string, len(m.header))
		for name, values := range m.header {
			for _, v := range values {
				shown := t.opts.Headers.Field(name, v)
				if shown != v && bytes.Contains([]byte(shown), []byte(secrets.Mask)) {
					flags |= schema.FlagRedacted
				}
				h[name] = append(h[name], shown)
			}
		}
	}
	if !utf8.Valid(m.data) {
		flags |= schema.FlagBinary
	}
	return schema.AppendNATS(dst, m.subject, m.reply, h, m.data), flags
}
