// Package tracing records the work of this program as OpenTelemetry traces and sends them to a
// collector. It is off until Start is called. Spans contain names of routes and statements, numbers
// and codes. They never contain recorded content, addresses with queries, or texts of errors, which
// may include either.
package tracing

import (
	"context"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// current is the tracer; nil while tracing is off.
var current atomic.Pointer[trace.Tracer]

// carrier reads and writes W3C trace contexts.
var carrier = propagation.TraceContext{}

// On reports whether spans are recorded.
func On() bool { return current.Load() != nil }

// Span begins a span of internal work; see Begin.
func Span(ctx context.Context, name string, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	return Begin(ctx, name, trace.WithAttributes(attributes...))
}

// Begin begins a span. The caller ends it. While tracing is off, Begin returns ctx and a span that
// records nothing.
func Begin(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	tracer := current.Load()
	if tracer == nil {
		return ctx, noop.Span{}
	}
	return (*tracer).Start(ctx, name, options...)
}

// End ends a span. If err is not nil, the span has failed; reason is a code or a name.
func End(span trace.Span, err error, reason string) {
	if err != nil && span.IsRecording() {
		span.SetStatus(codes.Error, "")
		span.SetAttributes(attribute.String("error.type", reason))
	}
	span.End()
}

// Extract returns ctx with the trace context in a message's header fields, if they have one.
func Extract(ctx context.Context, fields map[string][]string) context.Context {
	return carrier.Extract(ctx, propagation.HeaderCarrier(fields))
}

// Inject writes the trace context of ctx, if it has one, to a message's header fields.
func Inject(ctx context.Context, fields map[string][]string) {
	carrier.Inject(ctx, propagation.HeaderCarrier(fields))
}

// LinkTo returns a link to the span that a message's header fields name; ok is false if they name
// none.
func LinkTo(fields map[string][]string) (trace.Link, bool) {
	of := trace.SpanContextFromContext(Extract(context.Background(), fields))
	return trace.Link{SpanContext: of}, of.IsValid()
}
