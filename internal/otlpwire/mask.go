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
	if sure && !framed(data, 1, 2, 2) { // groups of scopes of items
		return data, false
	}
	if !sure {
		if e, err := parseBinary(data); err != nil || !e.valid() {
			return data, false
		}
	}
	of := requests[Traces] // also of a request without items
	if signalOf(data) == Logs {
		of = requests[Logs]
	}
	out, changed := of.mask(data, mask, 0)
	if !changed {
		return data, true
	}
	return out, true
}

// framed reports whether bytes are a message, and so are those fields of it that path names: the
// number of fields in it, of fields in these, and so on.
func framed(data []byte, path ...protowire.Number) bool {
	r := fields(data)
	for r.next() {
		if len(path) > 0 && r.is(path[0]) && !framed(r.raw, path[1:]...) {
			return false
		}
	}
	return r.err == nil
}

// mask masks the texts of a message. Its lengths change with them. It returns data itself if mask
// changes nothing. Bytes that are no message are masked as one text.
func (m *message) mask(data []byte, mask func(string) string, depth int) (out []byte, changed bool) {
	if depth > 3*maxDepth {
		return nil, len(data) > 0 // texts that nothing reads are dropped rather than kept with a secret
	}
	kept := 0                                    // data[:kept] is in out, once something has changed
	numbers, at := 0, 0                          // data[numbers:at] are the last fields that are not length-delimited
	edit := func(from, to int, content []byte) { // replaces data[from:to]
		out = append(append(out, data[kept:from]...), content...)
		kept, changed = to, true
	}
	dropNumbers := func() { // a secret: numbers have no place for a mask
		if numbers < at && masks(data[numbers:at], mask) {
			edit(numbers, at, nil)
		}
	}
	r := fields(data)
	for ; r.next(); at += len(r.whole) {
		if r.typ != protowire.BytesType {
			continue
		}
		dropNumbers()
		numbers = at + len(r.whole)
		if content, edited := m.maskField(&r.field, mask, depth); edited {
			edit(at, numbers, appendMessage(nil, r.num, content, nil))
		}
	}
	if r.err != nil {
		text := string(data)
		masked := mask(text)
		return []byte(masked), masked != text
	}
	dropNumbers()
	if !changed {
		return data, false
	}
	return append(out, data[kept:]...), true
}

// masks reports whether bytes have a secret.
func masks(data []byte, mask func(string) string) bool {
	text := string(data)
	return mask(text) != text
}

// maskField returns the masked content of a length-delimited field. A secret in a field that has no
// text, such as an id, becomes as many zeros, since lengths of ids have a meaning.
func (m *message) maskField(f *field, mask func(string) string, depth int) (content []byte, changed bool) {
	if inner := m.inner[f.num]; inner != nil {
		return inner.mask(f.raw, mask, depth+1)
	}
	text := string(f.raw)
	masked := mask(text)
	switch {
	case masked == text:
		return nil, false
	case m.hasText(f.num):
		return []byte(masked), true
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
