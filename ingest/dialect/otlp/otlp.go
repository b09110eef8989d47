// Package otlp reads export requests of OTLP for traces and logs: spans and events of generative AI,
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
	return sure, "an export request of OTLP with " + string(e.Signal)
}

// parse returns the request in a frame, nil for a frame without one. Binary requests come in HTTP
// bodies only.
func parse(in *dialect.Input) *otlpwire.Export {
	if in.Direction == schema.Send && in.Transport != schema.HTTP || len(in.Data) == 0 {
		return nil
	}
	if in.JSON == nil && (in.Transport != schema.HTTP || otlpwire.IsJSON(in.Data)) {
		return nil
	}
	if in.JSON != nil && !in.JSON.Exists("resourceSpans") && !in.JSON.Exists("resourceLogs") {
		return nil
	}
	e, err := otlpwire.Parse(in.Data)
	if err != nil {
		return nil
	}
	return e
}

// timeOf returns the latest end of an item, ns.
func timeOf(in *dialect.Input) (at int64) {
	if e := parse(in); e != nil {
		e.All(func(_ *otlpwire.Group, _ *otlpwire.Scope, item *otlpwire.Item) {
			if item.Timed() {
				at = max(at, item.End)
			}
		})
	}
	return at
}

// decoder reads one stream. It keeps nothing between frames: the ids of its facts follow from the
// ids of spans, so that facts of one trace fit together whichever requests bring them.
type decoder struct{}

// Decode reads one request.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	if len(in.Data) == 0 {
		return
	}
	e := parse(in)
	if e == nil {
		in.Flags |= schema.FlagUnknownType
		return
	}
	r := newReader(in, b, e)
	in.Type = string(e.Signal)
	in.Session, in.Run = r.session, r.onlyTrace
	e.All(r.item)
}

// End does nothing: spans are exported when they have ended.
func (d *decoder) End(int64, *dialect.Emitter) {}
