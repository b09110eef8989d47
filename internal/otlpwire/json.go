package otlpwire

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/internal/wellformed"
)

// parseJSON reads the JSON encoding: ids are in hexadecimal, 64-bit numbers are texts or numbers,
// unknown members are ignored.
func parseJSON(data []byte) (*Export, error) {
	if depth, ok := wellformed.Check(data); !ok || depth > wellformed.MaxDepth {
		return nil, ErrMalformed
	}
	if err := checkJSON(data); err != nil {
		return nil, err
	}
	var tree fastjson.Parser
	v, err := tree.ParseBytes(data)
	if err != nil {
		return nil, malformed(err)
	}
	e, p := &Export{JSON: true}, &parser{}
	groups, scopes, items, read := "resourceSpans", "scopeSpans", "spans", p.jsonSpan
	switch {
	case v.Exists(groups):
		e.Signal = Traces
	case v.Exists("resourceLogs"):
		e.Signal = Logs
		groups, scopes, items, read = "resourceLogs", "scopeLogs", "logRecords", p.jsonRecord
	case len(v.GetObject().String()) > len("{}"):
		return nil, ErrMalformed
	}
	for _, of := range v.GetArray(groups) {
		if err := p.value(); err != nil {
			return nil, err
		}
		g := Group{}
		if g.Resource, err = p.jsonAttributes(of.GetArray("resource", "attributes"), 0); err != nil {
			return nil, err
		}
		for _, in := range of.GetArray(scopes) {
			if err := p.value(); err != nil {
				return nil, err
			}
			s := Scope{Name: jsonText(in.Get("scope", "name"))}
			for _, v := range in.GetArray(items) {
				if err := p.item(); err != nil {
					return nil, err
				}
				item, err := read(v)
				if err != nil {
					return nil, err
				}
				s.Items = append(s.Items, item)
			}
			g.Scopes = append(g.Scopes, s)
		}
		e.Groups = append(e.Groups, g)
	}
	return e, nil
}

func (p *parser) jsonSpan(v *fastjson.Value) (s Item, err error) {
	s = Item{
		TraceID: jsonID(v.Get("traceId"), traceIDBytes), SpanID: jsonID(v.Get("spanId"), spanIDBytes), ParentID: jsonID(v.Get("parentSpanId"), spanIDBytes),
		Name: jsonText(v.Get("name")), Start: jsonTime(v.Get("startTimeUnixNano")), End: jsonTime(v.Get("endTimeUnixNano")),
		Failed: v.GetInt("status", "code") == statusError, Status: jsonText(v.Get("status", "message")),
	}
	if s.Attributes, err = p.jsonAttributes(v.GetArray("attributes"), 0); err != nil {
		return s, err
	}
	for _, v := range v.GetArray("events") {
		if err := p.value(); err != nil {
			return s, err
		}
		e := Event{Name: jsonText(v.Get("name")), At: jsonTime(v.Get("timeUnixNano"))}
		if e.Attributes, err = p.jsonAttributes(v.GetArray("attributes"), 0); err != nil {
			return s, err
		}
		s.Events = append(s.Events, e)
	}
	return s, nil
}

func (p *parser) jsonRecord(v *fastjson.Value) (r Item, err error) {
	r = Item{
		TraceID: jsonID(v.Get("traceId"), traceIDBytes), SpanID: jsonID(v.Get("spanId"), spanIDBytes), Name: jsonText(v.Get("eventName")),
		Start: jsonTime(v.Get("timeUnixNano")),
	}
	r.observed(jsonTime(v.Get("observedTimeUnixNano")))
	if r.Attributes, err = p.jsonAttributes(v.GetArray("attributes"), 0); err != nil {
		return r, err
	}
	r.Body, err = p.jsonValue(v.Get("body"), 0)
	return r, err
}

func jsonText(v *fastjson.Value) string {
	if v == nil || v.Type() != fastjson.TypeString {
		return ""
	}
	return string(v.GetStringBytes())
}

func jsonID(v *fastjson.Value, n int) string {
	b, err := hex.DecodeString(jsonText(v))
	if err != nil {
		return ""
	}
	return hexID(b, n)
}

// jsonNumber returns the text of a number, which may be a string.
func jsonNumber(v *fastjson.Value) string {
	switch {
	case v == nil:
		return ""
	case v.Type() == fastjson.TypeString:
		return strings.TrimSpace(jsonText(v))
	case v.Type() == fastjson.TypeNumber:
		return v.String()
	}
	return ""
}

func jsonTime(v *fastjson.Value) int64 {
	n, err := strconv.ParseUint(jsonNumber(v), 10, 64)
	if err != nil {
		return 0
	}
	return int64(min(n, math.MaxInt64))
}

func (p *parser) jsonAttributes(list []*fastjson.Value, depth int) (all Attributes, err error) {
	for _, a := range list {
		if err := p.value(); err != nil {
			return nil, err
		}
		v, err := p.jsonValue(a.Get("value"), depth+1)
		if err != nil {
			return nil, err
		}
		all = append(all, Attribute{jsonText(a.Get("key")), v})
	}
	return all, nil
}

func (p *parser) jsonValue(v *fastjson.Value, depth int) (of Value, err error) {
	if depth > maxDepth {
		return of, nil
	}
	v.GetObject().Visit(func(key []byte, v *fastjson.Value) {
		switch string(key) {
		case "stringValue":
			of = Value{kind: textKind, text: jsonText(v)}
		case "bytesValue":
			of = Value{kind: textKind, text: jsonText(v)}
		case "boolValue":
			of = Value{kind: boolKind}
			if v.Type() == fastjson.TypeTrue {
				of.num = 1
			}
		case "intValue":
			if n, err := strconv.ParseInt(jsonNumber(v), 10, 64); err == nil {
				of = Value{kind: intKind, num: uint64(n)}
			}
		case "doubleValue":
			if f, err := strconv.ParseFloat(jsonNumber(v), 64); err == nil {
				of = Value{kind: doubleKind, num: math.Float64bits(f)}
			}
		case "arrayValue":
			of = Value{kind: listKind}
			for _, element := range v.GetArray("values") {
				if err == nil {
					err = p.value()
				}
				if err != nil {
					return
				}
				var inner Value
				inner, err = p.jsonValue(element, depth+1)
				of.list = append(of.list, inner)
			}
		case "kvlistValue":
			if err == nil {
				of = Value{kind: mapKind}
				of.members, err = p.jsonAttributes(v.GetArray("values"), depth)
			}
		}
	})
	return of, err
}
