package otlpwire

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// message describes where a message has texts and further messages, by the numbers of its fields.
type message struct {
	texts []protowire.Number
	inner map[protowire.Number]*message
}

var (
	anyMessage      = &message{texts: []protowire.Number{1, 7}}
	keyValueMessage = &message{texts: []protowire.Number{1}, inner: map[protowire.Number]*message{2: anyMessage}}
	bagMessage      = &message{inner: map[protowire.Number]*message{1: keyValueMessage}}
	resourceMessage = bagMessage
	scopeMessage    = &message{texts: []protowire.Number{1, 2}, inner: map[protowire.Number]*message{3: keyValueMessage}}
	eventMessage    = &message{texts: []protowire.Number{2}, inner: map[protowire.Number]*message{3: keyValueMessage}}
	linkMessage     = &message{texts: []protowire.Number{3}, inner: map[protowire.Number]*message{4: keyValueMessage}}
	statusMessage   = &message{texts: []protowire.Number{2}}
	spanMessage     = &message{texts: []protowire.Number{3, 5}, inner: map[protowire.Number]*message{
		9: keyValueMessage, 11: eventMessage, 13: linkMessage, 15: statusMessage,
	}}
	recordMessage = &message{texts: []protowire.Number{3, 12}, inner: map[protowire.Number]*message{5: anyMessage, 6: keyValueMessage}}
)

func init() {
	anyMessage.inner = map[protowire.Number]*message{5: {inner: map[protowire.Number]*message{1: anyMessage}}, 6: bagMessage}
}

// request describes an export request whose items are of a message.
func request(item *message) *message {
	scopes := &message{texts: []protowire.Number{3}, inner: map[protowire.Number]*message{1: scopeMessage, 2: item}}
	groups := &message{texts: []protowire.Number{3}, inner: map[protowire.Number]*message{1: resourceMessage, 2: scopes}}
	return &message{inner: map[protowire.Number]*message{1: groups}}
}

var requests = map[Signal]*message{Traces: request(spanMessage), Logs: request(recordMessage)}

// MaskBinary replaces each text of a binary request by what mask returns for it. It returns data
// itself if mask changes nothing. ok is false for bytes that are not a binary request with valid
// items; they are not changed.
func MaskBinary(data []byte, mask func(text string) string) (masked []byte, ok bool) {
	if len(data) == 0 || data[0] != 1<<3|byte(protowire.BytesType) {
		return data, false
	}
	e, err := parseBinary(data)
	if err != nil || !e.valid() {
		return data, false
	}
	out, changed := requests[e.Signal].mask(data, mask, 0)
	if !changed {
		return data, true
	}
	return out, true
}

// mask masks the texts of a message. Its lengths change with them.
func (m *message) mask(data []byte, mask func(string) string, depth int) (out []byte, changed bool) {
	if depth > 3*maxDepth {
		return nil, len(data) > 0 // texts that nothing reads are dropped rather than kept with a secret
	}
	out = make([]byte, 0, len(data))
	err := fields(data, func(f *field) error {
		inner := m.inner[f.num]
		switch {
		case f.typ != protowire.BytesType:
		case inner != nil:
			if content, edited := inner.mask(f.raw, mask, depth+1); edited {
				out, changed = appendMessage(out, f.num, content, nil), true
				return nil
			}
		case m.hasText(f.num):
			if text := mask(string(f.raw)); text != string(f.raw) {
				out, changed = appendMessage(out, f.num, []byte(text), nil), true
				return nil
			}
		}
		out = append(out, f.whole...)
		return nil
	})
	if err != nil {
		return data, false
	}
	return out, changed
}

func (m *message) hasText(num protowire.Number) bool {
	for _, n := range m.texts {
		if n == num {
			return true
		}
	}
	return false
}

// valid reports whether there are items, each with the ids of a span or the time of a log record.
// Messages of other protocols do not have them.
func (e *Export) valid() bool {
	valid := e.Count() > 0
	e.All(func(_ *Group, _ *Scope, item *Item) {
		if e.Signal == Traces {
			valid = valid && len(item.TraceID) == 2*traceIDBytes && len(item.SpanID) == 2*spanIDBytes
			return
		}
		valid = valid && item.Start > 0
	})
	return valid
}

const (
	traceIDBytes = 16
	spanIDBytes  = 8
)
