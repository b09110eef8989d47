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
	var p fastjson.Parser
	v, err := p.ParseBytes(data)
	if err != nil {
		return nil, malformed(err)
	}
	e := &Export{JSON: true}
	groups, scopes, items, read := "resourceSpans", "scopeSpans", "spans", jsonSpan
	switch {
	case v.Exists(groups):
		e.Signal = Traces
	case v.Exists("resourceLogs"):
		e.Signal = Logs
		groups, scopes, items, read = "resourceLogs", "scopeLogs", "logRecords", jsonRecord
	case len(v.GetObject().String()) > len("{}"):
		return nil, ErrMalformed
	}
	for _, of := range v.GetArray(groups) {
		g := Group{Resource: jsonAttributes(of.GetArray("resource", "attributes"), 0)}
		for _, in := range of.GetArray(scopes) {
			s := Scope{Name: jsonText(in.Get("scope", "name"))}
			for _, item := range in.GetArray(items) {
				s.Items = append(s.Items, read(item))
			}
			g.Scopes = append(g.Scopes, s)
		}
		e.Groups = append(e.Groups, g)
	}
	return e, nil
}

func jsonSpan(v *fastjson.Value) Item {
	s := Item{
		TraceID: jsonID(v.Get("traceId")), SpanID: jsonID(v.Get("spanId")), ParentID: jsonID(v.Get("parentSpanId")),
		Name: jsonText(v.Get("name")), Start: jsonTime(v.Get("startTimeUnixNano")), End: jsonTime(v.Get("endTimeUnixNano")),
		Attributes: jsonAttributes(v.GetArray("attributes"), 0),
		Failed:     v.GetInt("status", "code") == statusError, Status: jsonText(v.Get("status", "message")),
	}
	for _, e := range v.GetArray("events") {
		s.Events = append(s.Events, Event{
			Name: jsonText(e.Get("name")), At: jsonTime(e.Get("timeUnixNano")), Attributes: jsonAttributes(e.GetArray("attributes"), 0),
		})
	}
	return s
}

func jsonRecord(v *fastjson.Value) Item {
	r := Item{
		TraceID: jsonID(v.Get("traceId")), SpanID: jsonID(v.Get("spanId")), Name: jsonText(v.Get("eventName")),
		Start: jsonTime(v.Get("timeUnixNano")), Attributes: jsonAttributes(v.GetArray("attributes"), 0), Body: jsonValue(v.Get("body"), 0),
	}
	r.observed(jsonTime(v.Get("observedTimeUnixNano")))
	return r
}

func jsonText(v *fastjson.Value) string {
	if v == nil || v.Type() != fastjson.TypeString {
		return ""
	}
	return string(v.GetStringBytes())
}

func jsonID(v *fastjson.Value) string {
	b, err := hex.DecodeString(jsonText(v))
	if err != nil {
		return ""
	}
	return hexID(b)
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

func jsonAttributes(list []*fastjson.Value, depth int) Attributes {
	var all Attributes
	for _, a := range list {
		all = append(all, Attribute{jsonText(a.Get("key")), jsonValue(a.Get("value"), depth+1)})
	}
	return all
}

func jsonValue(v *fastjson.Value, depth int) (of Value) {
	if depth > maxDepth {
		return of
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
				of.list = append(of.list, jsonValue(element, depth+1))
			}
		case "kvlistValue":
			of = Value{kind: mapKind, members: jsonAttributes(v.GetArray("values"), depth)}
		}
	})
	return of
}
