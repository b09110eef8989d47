package otlpwire

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is a field of a message. n is the value of a varint, a fixed32 or a fixed64; raw is the
// content of a length-delimited field, and whole its bytes with the tag.
type field struct {
	num   protowire.Number
	typ   protowire.Type
	n     uint64
	raw   []byte
	whole []byte
}

// reader reads the fields of a message, in order.
type reader struct {
	field        // the current one, after next
	data  []byte // what follows it
	err   error  // what ended the message before its end
}

func fields(data []byte) reader { return reader{data: data} }

// next reads the next field. It returns false at the end of the message and when err is set.
func (r *reader) next() bool {
	if len(r.data) == 0 || r.err != nil {
		return false
	}
	num, typ, tag := protowire.ConsumeTag(r.data)
	if tag < 0 {
		r.err = malformed(protowire.ParseError(tag))
		return false
	}
	r.num, r.typ, r.n, r.raw = num, typ, 0, nil
	var n int
	switch typ {
	case protowire.VarintType:
		r.n, n = protowire.ConsumeVarint(r.data[tag:])
	case protowire.Fixed64Type:
		r.n, n = protowire.ConsumeFixed64(r.data[tag:])
	case protowire.Fixed32Type:
		var short uint32
		short, n = protowire.ConsumeFixed32(r.data[tag:])
		r.n = uint64(short)
	case protowire.BytesType:
		r.raw, n = protowire.ConsumeBytes(r.data[tag:])
	default:
		n = protowire.ConsumeFieldValue(num, typ, r.data[tag:])
	}
	if n < 0 {
		r.err = malformed(protowire.ParseError(n))
		return false
	}
	r.whole = r.data[:tag+n]
	r.data = r.data[tag+n:]
	return true
}

// count returns how many length-delimited fields with a number a message has.
func count(data []byte, num protowire.Number) (n int) {
	for r := fields(data); r.next(); {
		if r.is(num) {
			n++
		}
	}
	return n
}

func malformed(err error) error { return fmt.Errorf("%w: %w", ErrMalformed, err) }

// is reports whether the field is the length-delimited one with a number.
func (f *field) is(num protowire.Number) bool { return f.num == num && f.typ == protowire.BytesType }

func (f *field) text() string { return strings.ToValidUTF8(string(f.raw), "\uFFFD") }

func (f *field) time() int64 { return int64(min(f.n, math.MaxInt64)) }

func (f *field) isFixed64(num protowire.Number) bool {
	return f.num == num && f.typ == protowire.Fixed64Type
}

func parseBinary(data []byte) (*Export, error) {
	e, p := &Export{Signal: signalOf(data)}, &parser{}
	r := fields(data)
	for r.next() {
		if !r.is(1) {
			continue
		}
		g, err := p.group(r.raw, e.Signal)
		if err != nil {
			return nil, err
		}
		e.Groups = append(e.Groups, g)
	}
	if r.err != nil {
		return nil, r.err
	}
	return e, nil
}

// signalOf reads the signal from the first item: field 1 of a span is its trace id, 16 bytes, which
// it must have, and field 1 of a log record is a time.
func signalOf(data []byte) (s Signal) {
	eachItem(data, func(item []byte) bool {
		s = Logs
		for r := fields(item); r.next(); {
			if r.is(1) && len(r.raw) == traceIDBytes {
				s = Traces
			}
		}
		return false
	})
	return s
}

// eachItem calls use with the items of a request, until it returns false. It passes over what is
// malformed, which parsing reports.
func eachItem(data []byte, use func(item []byte) bool) {
	for groups := fields(data); groups.next(); {
		if !groups.is(1) {
			continue
		}
		for scopes := fields(groups.raw); scopes.next(); {
			if !scopes.is(2) {
				continue
			}
			for items := fields(scopes.raw); items.next(); {
				if items.is(2) && !use(items.raw) {
					return
				}
			}
		}
	}
}

// Latest returns the latest end of an item of a binary request, ns; 0 if no item has a possible time.
// It reads nothing else.
func Latest(data []byte) (at int64) {
	signal := signalOf(data)
	eachItem(data, func(raw []byte) bool {
		var item Item
		observed := int64(0)
		for r := fields(raw); r.next(); {
			switch {
			case signal == Traces && r.isFixed64(7), signal == Logs && r.isFixed64(1):
				item.Start = r.time()
			case signal == Traces && r.isFixed64(8):
				item.End = r.time()
			case signal == Logs && r.isFixed64(11):
				observed = r.time()
			}
		}
		if signal == Logs {
			item.observed(observed)
		}
		if item.Timed() {
			at = max(at, item.End)
		}
		return true
	})
	return at
}

func (p *parser) group(data []byte, s Signal) (g Group, err error) {
	if err := p.value(); err != nil {
		return g, err
	}
	r := fields(data)
	for r.next() {
		if !r.is(2) {
			g.rest = append(g.rest, r.whole...)
		}
		switch {
		case r.is(1):
			inner := fields(r.raw)
			for inner.next() {
				if err := p.attribute(&g.Resource, &inner.field, 1); err != nil {
					return g, err
				}
			}
			if inner.err != nil {
				return g, inner.err
			}
		case r.is(2):
			scope, err := p.scope(r.raw, s)
			if err != nil {
				return g, err
			}
			g.Scopes = append(g.Scopes, scope)
		}
	}
	return g, r.err
}

func (p *parser) scope(data []byte, s Signal) (c Scope, err error) {
	if err := p.value(); err != nil {
		return c, err
	}
	c.Items = make([]Item, 0, min(count(data, 2), MaxItems-p.items))
	r := fields(data)
	for r.next() {
		if !r.is(2) {
			c.rest = append(c.rest, r.whole...)
		}
		switch {
		case r.is(1):
			inner := fields(r.raw)
			for inner.next() {
				if inner.is(1) {
					c.Name = inner.text()
				}
			}
			if inner.err != nil {
				return c, inner.err
			}
		case r.is(2):
			if err := p.item(); err != nil {
				return c, err
			}
			read := p.span
			if s == Logs {
				read = p.record
			}
			item, err := read(r.raw)
			if err != nil {
				return c, err
			}
			item.raw = r.whole
			c.Items = append(c.Items, item)
		}
	}
	return c, r.err
}

func (p *parser) span(data []byte) (s Item, err error) {
	s.Attributes = make(Attributes, 0, min(count(data, 9), MaxValues-p.values))
	r := fields(data)
	for err == nil && r.next() {
		switch {
		case r.is(1):
			s.TraceID = hexID(r.raw, traceIDBytes)
		case r.is(2):
			s.SpanID = hexID(r.raw, spanIDBytes)
		case r.is(4):
			s.ParentID = hexID(r.raw, spanIDBytes)
		case r.is(5):
			s.Name = r.text()
		case r.isFixed64(7):
			s.Start = r.time()
		case r.isFixed64(8):
			s.End = r.time()
		case r.is(9):
			err = p.keyValue(&s.Attributes, r.raw, 0)
		case r.is(11):
			var event Event
			event, err = p.spanEvent(r.raw)
			s.Events = append(s.Events, event)
		case r.is(15):
			err = s.status(r.raw)
		}
	}
	return s, cmp.Or(err, r.err)
}

// status reads the status of a span.
func (item *Item) status(data []byte) error {
	r := fields(data)
	for r.next() {
		if r.is(2) {
			item.Status = r.text()
		}
		if r.num == 3 && r.typ == protowire.VarintType {
			item.Failed = r.n == statusError
		}
	}
	return r.err
}

// statusError is STATUS_CODE_ERROR.
const statusError = 2

func (p *parser) spanEvent(data []byte) (e Event, err error) {
	if err := p.value(); err != nil {
		return e, err
	}
	r := fields(data)
	for err == nil && r.next() {
		switch {
		case r.isFixed64(1):
			e.At = r.time()
		case r.is(2):
			e.Name = r.text()
		}
		err = p.attribute(&e.Attributes, &r.field, 3)
	}
	return e, cmp.Or(err, r.err)
}

func (p *parser) record(data []byte) (item Item, err error) {
	item.Attributes = make(Attributes, 0, min(count(data, 6), MaxValues-p.values))
	observed := int64(0)
	r := fields(data)
	for err == nil && r.next() {
		switch {
		case r.isFixed64(1):
			item.Start = r.time()
		case r.isFixed64(11):
			observed = r.time()
		case r.is(5):
			item.Body, err = p.anyValue(r.raw, 0)
		case r.is(6):
			err = p.keyValue(&item.Attributes, r.raw, 0)
		case r.is(9):
			item.TraceID = hexID(r.raw, traceIDBytes)
		case r.is(10):
			item.SpanID = hexID(r.raw, spanIDBytes)
		case r.is(12):
			item.Name = r.text()
		}
	}
	item.observed(observed)
	return item, cmp.Or(err, r.err)
}

// observed sets the times of a log record, which may have no time of its own.
func (item *Item) observed(at int64) {
	if item.Start == 0 {
		item.Start = at
	}
	item.End = item.Start
}

// hexID returns an id of n bytes in hexadecimal. An id of another length, or of zeros only, is
// invalid, and is read as unset.
func hexID(b []byte, n int) string {
	if len(b) != n {
		return ""
	}
	for _, c := range b {
		if c != 0 {
			return hex.EncodeToString(b)
		}
	}
	return ""
}

// attribute adds a KeyValue if it is field num.
func (p *parser) attribute(to *Attributes, f *field, num protowire.Number) error {
	if !f.is(num) {
		return nil
	}
	return p.keyValue(to, f.raw, 0)
}

func (p *parser) keyValue(to *Attributes, data []byte, depth int) (err error) {
	if err := p.value(); err != nil {
		return err
	}
	var a Attribute
	r := fields(data)
	for err == nil && r.next() {
		switch {
		case r.is(1):
			a.Key = p.key(&r.field)
		case r.is(2):
			a.Value, err = p.anyValue(r.raw, depth+1)
		}
	}
	*to = append(*to, a)
	return cmp.Or(err, r.err)
}

func (p *parser) anyValue(data []byte, depth int) (v Value, err error) {
	if depth > maxDepth {
		return Value{}, nil
	}
	r := fields(data)
	for err == nil && r.next() {
		switch {
		case r.is(1):
			v = Value{kind: textKind, text: r.text()}
		case r.num == 2 && r.typ == protowire.VarintType:
			v = Value{kind: boolKind, num: min(r.n, 1)}
		case r.num == 3 && r.typ == protowire.VarintType:
			v = Value{kind: intKind, num: r.n}
		case r.isFixed64(4):
			v = Value{kind: doubleKind, num: r.n}
		case r.is(5):
			v = Value{kind: listKind}
			v.list, err = p.list(r.raw, depth)
		case r.is(6):
			v = Value{kind: mapKind}
			v.members, err = p.members(r.raw, depth)
		case r.is(7):
			v = bytesValue(r.raw)
		}
	}
	return v, cmp.Or(err, r.err)
}

func (p *parser) list(data []byte, depth int) (list []Value, err error) {
	r := fields(data)
	for r.next() {
		if !r.is(1) {
			continue
		}
		if err := p.value(); err != nil {
			return nil, err
		}
		element, err := p.anyValue(r.raw, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, element)
	}
	return list, r.err
}

func (p *parser) members(data []byte, depth int) (members Attributes, err error) {
	r := fields(data)
	for r.next() {
		if !r.is(1) {
			continue
		}
		if err := p.keyValue(&members, r.raw, depth); err != nil {
			return nil, err
		}
	}
	return members, r.err
}
