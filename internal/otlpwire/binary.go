package otlpwire

import (
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

// fields calls use with the fields of a message, in order.
func fields(data []byte, use func(f *field) error) error {
	for len(data) > 0 {
		f := field{}
		num, typ, tag := protowire.ConsumeTag(data)
		if tag < 0 {
			return malformed(protowire.ParseError(tag))
		}
		f.num, f.typ = num, typ
		var n int
		switch typ {
		case protowire.VarintType:
			f.n, n = protowire.ConsumeVarint(data[tag:])
		case protowire.Fixed64Type:
			f.n, n = protowire.ConsumeFixed64(data[tag:])
		case protowire.Fixed32Type:
			var short uint32
			short, n = protowire.ConsumeFixed32(data[tag:])
			f.n = uint64(short)
		case protowire.BytesType:
			f.raw, n = protowire.ConsumeBytes(data[tag:])
		default:
			n = protowire.ConsumeFieldValue(num, typ, data[tag:])
		}
		if n < 0 {
			return malformed(protowire.ParseError(n))
		}
		f.whole = data[:tag+n]
		data = data[tag+n:]
		if err := use(&f); err != nil {
			return err
		}
	}
	return nil
}

func malformed(err error) error { return fmt.Errorf("%w: %w", ErrMalformed, err) }

// is reports whether the field is the length-delimited one with a number.
func (f *field) is(num protowire.Number) bool { return f.num == num && f.typ == protowire.BytesType }

func (f *field) text() string { return strings.ToValidUTF8(string(f.raw), "\uFFFD") }

func (f *field) time() int64 { return int64(min(f.n, math.MaxInt64)) }

func parseBinary(data []byte) (*Export, error) {
	e, p := &Export{Signal: signalOf(data)}, &parser{}
	err := fields(data, func(f *field) error {
		if !f.is(1) {
			return nil
		}
		g, err := p.group(f.raw, e.Signal)
		e.Groups = append(e.Groups, g)
		return err
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// signalOf reads the signal from the first item that shows it: field 1 of a span is its trace id,
// 16 bytes, which it must have, and field 1 of a log record is a time.
func signalOf(data []byte) (s Signal) {
	within := func(num protowire.Number, inner func([]byte)) func([]byte) {
		return func(b []byte) {
			_ = fields(b, func(f *field) error { // parsing reports errors
				if f.is(num) && s == "" {
					inner(f.raw)
				}
				return nil
			})
		}
	}
	item := func(b []byte) {
		s = Logs
		_ = fields(b, func(f *field) error {
			if f.is(1) && len(f.raw) == traceIDBytes {
				s = Traces
			}
			return nil
		})
	}
	within(1, within(2, within(2, item)))(data)
	return s
}

func (p *parser) group(data []byte, s Signal) (g Group, err error) {
	if err := p.value(); err != nil {
		return g, err
	}
	err = fields(data, func(f *field) error {
		if !f.is(2) {
			g.rest = append(g.rest, f.whole...)
		}
		switch {
		case f.is(1):
			return fields(f.raw, func(f *field) error { return p.attribute(&g.Resource, f, 1) })
		case f.is(2):
			scope, err := p.scope(f.raw, s)
			g.Scopes = append(g.Scopes, scope)
			return err
		}
		return nil
	})
	return g, err
}

func (p *parser) scope(data []byte, s Signal) (c Scope, err error) {
	if err := p.value(); err != nil {
		return c, err
	}
	err = fields(data, func(f *field) error {
		if !f.is(2) {
			c.rest = append(c.rest, f.whole...)
		}
		switch {
		case f.is(1):
			return fields(f.raw, func(f *field) error {
				if f.is(1) {
					c.Name = f.text()
				}
				return nil
			})
		case f.is(2):
			if err := p.item(); err != nil {
				return err
			}
			read := p.span
			if s == Logs {
				read = p.record
			}
			item, err := read(f.raw)
			item.raw = f.whole
			c.Items = append(c.Items, item)
			return err
		}
		return nil
	})
	return c, err
}

func (p *parser) span(data []byte) (s Item, err error) {
	err = fields(data, func(f *field) error {
		switch {
		case f.is(1):
			s.TraceID = hexID(f.raw, traceIDBytes)
		case f.is(2):
			s.SpanID = hexID(f.raw, spanIDBytes)
		case f.is(4):
			s.ParentID = hexID(f.raw, spanIDBytes)
		case f.is(5):
			s.Name = f.text()
		case f.num == 7 && f.typ == protowire.Fixed64Type:
			s.Start = f.time()
		case f.num == 8 && f.typ == protowire.Fixed64Type:
			s.End = f.time()
		case f.is(9):
			return p.attribute(&s.Attributes, f, 9)
		case f.is(11):
			event, err := p.spanEvent(f.raw)
			s.Events = append(s.Events, event)
			return err
		case f.is(15):
			return fields(f.raw, func(f *field) error {
				if f.is(2) {
					s.Status = f.text()
				}
				if f.num == 3 && f.typ == protowire.VarintType {
					s.Failed = f.n == statusError
				}
				return nil
			})
		}
		return nil
	})
	return s, err
}

// statusError is STATUS_CODE_ERROR.
const statusError = 2

func (p *parser) spanEvent(data []byte) (e Event, err error) {
	if err := p.value(); err != nil {
		return e, err
	}
	err = fields(data, func(f *field) error {
		switch {
		case f.num == 1 && f.typ == protowire.Fixed64Type:
			e.At = f.time()
		case f.is(2):
			e.Name = f.text()
		}
		return p.attribute(&e.Attributes, f, 3)
	})
	return e, err
}

func (p *parser) record(data []byte) (r Item, err error) {
	observed := int64(0)
	err = fields(data, func(f *field) error {
		switch {
		case f.num == 1 && f.typ == protowire.Fixed64Type:
			r.Start = f.time()
		case f.num == 11 && f.typ == protowire.Fixed64Type:
			observed = f.time()
		case f.is(5):
			v, err := p.anyValue(f.raw, 0)
			r.Body = v
			return err
		case f.is(9):
			r.TraceID = hexID(f.raw, traceIDBytes)
		case f.is(10):
			r.SpanID = hexID(f.raw, spanIDBytes)
		case f.is(12):
			r.Name = f.text()
		}
		return p.attribute(&r.Attributes, f, 6)
	})
	r.observed(observed)
	return r, err
}

// observed sets the times of a log record, which may have no time of its own.
func (r *Item) observed(at int64) {
	if r.Start == 0 {
		r.Start = at
	}
	r.End = r.Start
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

func (p *parser) keyValue(to *Attributes, data []byte, depth int) error {
	if err := p.value(); err != nil {
		return err
	}
	var a Attribute
	err := fields(data, func(f *field) error {
		var err error
		switch {
		case f.is(1):
			a.Key = f.text()
		case f.is(2):
			a.Value, err = p.anyValue(f.raw, depth+1)
		}
		return err
	})
	*to = append(*to, a)
	return err
}

func (p *parser) anyValue(data []byte, depth int) (v Value, err error) {
	if depth > maxDepth {
		return Value{}, nil
	}
	err = fields(data, func(f *field) error {
		switch {
		case f.is(1):
			v = Value{kind: textKind, text: f.text()}
		case f.num == 2 && f.typ == protowire.VarintType:
			v = Value{kind: boolKind, num: min(f.n, 1)}
		case f.num == 3 && f.typ == protowire.VarintType:
			v = Value{kind: intKind, num: f.n}
		case f.num == 4 && f.typ == protowire.Fixed64Type:
			v = Value{kind: doubleKind, num: f.n}
		case f.is(5):
			v = Value{kind: listKind}
			return fields(f.raw, func(f *field) error {
				if !f.is(1) {
					return nil
				}
				if err := p.value(); err != nil {
					return err
				}
				element, err := p.anyValue(f.raw, depth+1)
				v.list = append(v.list, element)
				return err
			})
		case f.is(6):
			v = Value{kind: mapKind}
			return fields(f.raw, func(f *field) error {
				if !f.is(1) {
					return nil
				}
				return p.keyValue(&v.members, f.raw, depth)
			})
		case f.is(7):
			v = bytesValue(f.raw)
		}
		return nil
	})
	return v, err
}
