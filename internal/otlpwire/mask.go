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

// MaskBinary replaces each text of a binary request by what mask returns for it, also texts in
// fields that Parse does not read. What it returns can be parsed, and has the same items. It returns
// data itself if mask changes nothing. ok is false for bytes that are not a binary request, and,
// unless sure is set, for a request whose items are not all valid, which may be a message of another
// protocol; they are not changed.
func MaskBinary(data []byte, sure bool, mask func(text string) string) (masked []byte, ok bool) {
	if len(data) == 0 || !sure && data[0] != 1<<3|byte(protowire.BytesType) || IsJSON(data) {
		return data, false
	}
	e, err := parseBinary(data)
	if err != nil || !sure && !e.valid() {
		return data, false
	}
	of := requests[Traces] // also of a request without items
	if e.Signal == Logs {
		of = requests[Logs]
	}
	out, changed := of.mask(data, mask, 0)
	if !changed {
		return data, true
	}
	return out, true
}

// mask masks the texts of a message. Its lengths change with them. Bytes that are no message are
// masked as one text.
func (m *message) mask(data []byte, mask func(string) string, depth int) (out []byte, changed bool) {
	if depth > 3*maxDepth {
		return nil, len(data) > 0 // texts that nothing reads are dropped rather than kept with a secret
	}
	out = make([]byte, 0, len(data))
	var run []byte // the last fields that are not length-delimited
	endRun := func() {
		if len(run) > 0 && mask(string(run)) != string(run) {
			changed = true // dropped: numbers have no place for a mask
		} else {
			out = append(out, run...)
		}
		run = nil
	}
	err := fields(data, func(f *field) error {
		if f.typ != protowire.BytesType {
			run = append(run, f.whole...)
			return nil
		}
		endRun()
		content, edited := m.maskField(f, mask, depth)
		if !edited {
			out = append(out, f.whole...)
			return nil
		}
		out, changed = appendMessage(out, f.num, content, nil), true
		return nil
	})
	if err != nil {
		text := mask(string(data))
		return []byte(text), text != string(data)
	}
	endRun()
	return out, changed
}

// maskField returns the masked content of a length-delimited field. A secret in a field that has no
// text, such as an id, becomes as many zeros, since lengths of ids have a meaning.
func (m *message) maskField(f *field, mask func(string) string, depth int) (content []byte, changed bool) {
	if inner := m.inner[f.num]; inner != nil {
		return inner.mask(f.raw, mask, depth+1)
	}
	text := mask(string(f.raw))
	switch {
	case text == string(f.raw):
		return nil, false
	case m.hasText(f.num):
		return []byte(text), true
	}
	return make([]byte, len(f.raw)), true
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
