// Package otlp reads export requests of OTLP for traces and logs, and lines of files with a span or
// a log record each: spans and events of generative AI,
// by the conventions of several instrumentations. docs/dialects/otlp.md describes how it reads them.
package otlp

import (
	"tapedeck/ingest/dialect"
	"tapedeck/internal/otlpwire"
	"tapedeck/schema"
)

// Dialect is the export requests of OTLP, in binary Protobuf or in JSON.
var Dialect = dialect.Dialect{
	Name: "otlp", Match: match, Time: timeOf, New: func(string) dialect.Decoder { return &decoder{} },
}

// match judges one frame.
func match(in *dialect.Input) (dialect.Confidence, string) {
	e := parse(in)
	if e == nil || e.Count() == 0 {
		return dialect.No, ""
	}
	sure := dialect.No
	e.All(func(_ *otlpwire.Group, _ *otlpwire.Scope, item *otlpwire.Item) {
		if item.TraceID != "" && item.SpanID != "" || e.Signal == otlpwire.Logs && item.Timed() {
			sure = dialect.Certain
		}
	})
	if sure == dialect.No {
		return dialect.No, ""
	}
	if isLine(in) {
		return sure, "a line of OpenTelemetry with " + string(e.Signal)
	}
	return sure, "an export request of OTLP with " + string(e.Signal)
}

// isLine reports whether a frame with items is a line, not a request.
func isLine(in *dialect.Input) bool { return in.JSON != nil && in.JSON.Exists("attributes") }

// isMetric reports whether a frame is a line with a metric, which nothing is derived from.
func isMetric(in *dialect.Input) bool {
	return in.JSON != nil && string(in.JSON.GetStringBytes("type")) == "metric"
}

// parse returns the request in a frame, nil for a frame without one. Binary requests come in HTTP
// bodies only.
func parse(in *dialect.Input) *otlpwire.Export {
	if in.Direction == schema.Send && in.Transport != schema.HTTP || len(in.Data) == 0 {
		return nil
	}
	if in.JSON == nil && !isBinary(in) {
		return nil
	}
	if in.JSON != nil && !in.JSON.Exists("resourceSpans") && !in.JSON.Exists("resourceLogs") {
		e, err := otlpwire.Line(in.JSON)
		if err != nil {
			return nil
		}
		return e
	}
	e, err := otlpwire.Parse(in.Data)
	if err != nil {
		return nil
	}
	return e
}

// isBinary reports whether a frame may have a binary request.
func isBinary(in *dialect.Input) bool {
	return in.JSON == nil && in.Transport == schema.HTTP && !otlpwire.IsJSON(in.Data)
}

// timeOf returns the latest end of an item, ns.
func timeOf(in *dialect.Input) (at int64) {
	if isBinary(in) {
		return otlpwire.Latest(in.Data)
	}
	if e := parse(in); e != nil {
		e.All(func(_ *otlpwire.Group, _ *otlpwire.Scope, item *otlpwire.Item) {
			if item.Timed() {
				at = max(at, item.End)
			}
		})
	}
	return at
}

// decoder reads one stream. The ids of its facts follow from the ids of spans, so that facts of one
// trace fit together whichever frames bring them.
type decoder struct {
	spent   dialect.Recent             // ids of usages that spans stated
	logged  map[string]int64           // ids of usages that log records stated, with their times, ns
	orphans map[string][]*dialect.Span // spans of lines by the span above, whose line has not come
	waiting int                        // orphans
}

// Bounds: usages, and spans that wait for the line of the span above.
const (
	usageLimit  = 1024
	orphanLimit = 1024
)

// Decode reads one request.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	if len(in.Data) == 0 {
		return
	}
	e := parse(in)
	if e == nil && isMetric(in) {
		in.Type = "metrics"
		return
	}
	if e == nil {
		in.Flags |= schema.FlagUnknownType
		return
	}
	r := newReader(d, in, b, e)
	in.Type = string(e.Signal)
	in.Session, in.Run = r.session, r.onlyTrace
	e.All(r.item)
}

// End does nothing: spans are exported when they have ended.
func (d *decoder) End(int64, *dialect.Emitter) {}
