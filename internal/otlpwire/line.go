package otlpwire

import (
	"math"
	"strconv"
	"time"

	"github.com/valyala/fastjson"
)

// Line reads a line of a file that OpenTelemetry's SDK for JavaScript wrote: one span or log record
// as the SDK holds it, with attributes as an object and times as a pair of seconds and nanoseconds.
// Copilot CLI writes such files. It returns nil for any other line. The error is a *BoundError.
func Line(v *fastjson.Value) (*Export, error) {
	if v.Get("attributes") == nil || v.Get("attributes").Type() != fastjson.TypeObject {
		return nil, nil
	}
	p, of := &parser{}, v.Get("spanContext")
	if of == nil {
		of = v
	}
	item := Item{TraceID: jsonID(of.Get("traceId"), traceIDBytes), SpanID: jsonID(of.Get("spanId"), spanIDBytes)}
	e := &Export{Signal: Traces, JSON: true}
	switch {
	case item.TraceID != "" && item.SpanID != "" && v.Exists("startTime") && v.Exists("endTime"):
		item.ParentID = jsonID(v.Get("parentSpanId"), spanIDBytes)
		if item.ParentID == "" {
			item.ParentID = jsonID(v.Get("parentSpanContext", "spanId"), spanIDBytes)
		}
		item.Name, item.Start, item.End = jsonText(v.Get("name")), pairTime(v.Get("startTime")), pairTime(v.Get("endTime"))
		item.Failed, item.Status = v.GetInt("status", "code") == statusError, jsonText(v.Get("status", "message"))
	case v.Exists("hrTime"):
		e.Signal = Logs
		item.Name, item.Start = jsonText(v.Get("eventName")), pairTime(v.Get("hrTime"))
		item.observed(pairTime(v.Get("hrTimeObserved")))
		body := v.Get("body")
		if body == nil {
			body = v.Get("_body")
		}
		var err error
		if item.Body, err = p.plainValue(body, 0); err != nil {
			return nil, err
		}
	default:
		return nil, nil
	}
	var err error
	if item.Attributes, err = p.plainMembers(v.Get("attributes"), 0); err != nil {
		return nil, err
	}
	for _, v := range v.GetArray("events") {
		if err := p.value(); err != nil {
			return nil, err
		}
		event := Event{Name: jsonText(v.Get("name")), At: pairTime(v.Get("time"))}
		if event.Attributes, err = p.plainMembers(v.Get("attributes"), 0); err != nil {
			return nil, err
		}
		item.Events = append(item.Events, event)
	}
	g := Group{Scopes: []Scope{{Name: jsonText(v.Get("instrumentationScope", "name")), Items: []Item{item}}}}
	if g.Resource, err = p.plainMembers(v.Get("resource", "attributes"), 0); err != nil {
		return nil, err
	}
	e.Groups = []Group{g}
	return e, nil
}

// pairTime returns the time of a pair [seconds, nanoseconds], ns; 0 for anything else.
func pairTime(v *fastjson.Value) int64 {
	pair := v.GetArray()
	if len(pair) != 2 {
		return 0
	}
	seconds, err := strconv.ParseInt(jsonNumber(pair[0]), 10, 64)
	nanos, err2 := strconv.ParseInt(jsonNumber(pair[1]), 10, 64)
	if err != nil || err2 != nil || seconds < 0 || seconds >= math.MaxInt64/int64(time.Second) || nanos < 0 || nanos >= int64(time.Second) {
		return 0
	}
	return seconds*int64(time.Second) + nanos
}

// plainMembers reads the members of a JSON object as attributes.
func (p *parser) plainMembers(v *fastjson.Value, depth int) (all Attributes, err error) {
	v.GetObject().Visit(func(key []byte, v *fastjson.Value) {
		if err == nil {
			err = p.value()
		}
		if err != nil {
			return
		}
		var of Value
		of, err = p.plainValue(v, depth+1)
		all = append(all, Attribute{string(key), of})
	})
	return all, err
}

// plainValue reads a JSON value.
func (p *parser) plainValue(v *fastjson.Value, depth int) (of Value, err error) {
	if v == nil || depth > maxDepth {
		return of, nil
	}
	switch v.Type() {
	case fastjson.TypeString:
		return Value{kind: textKind, text: jsonText(v)}, nil
	case fastjson.TypeTrue:
		return Value{kind: boolKind, num: 1}, nil
	case fastjson.TypeFalse:
		return Value{kind: boolKind}, nil
	case fastjson.TypeNumber:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return Value{kind: intKind, num: uint64(n)}, nil
		}
		if f, err := strconv.ParseFloat(v.String(), 64); err == nil {
			return Value{kind: doubleKind, num: math.Float64bits(f)}, nil
		}
	case fastjson.TypeArray:
		of.kind = listKind
		for _, element := range v.GetArray() {
			if err := p.value(); err != nil {
				return of, err
			}
			inner, err := p.plainValue(element, depth+1)
			if err != nil {
				return of, err
			}
			of.list = append(of.list, inner)
		}
	case fastjson.TypeObject:
		of.kind = mapKind
		of.members, err = p.plainMembers(v, depth)
	}
	return of, err
}
