package tracing

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	about "go.opentelemetry.io/proto/otlp/resource/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
)

// request returns spans as a message with the encoding of an ExportTraceServiceRequest. All spans
// must have the same resource and tracer.
func request(batch []sdktrace.ReadOnlySpan) *otlp.TracesData {
	if len(batch) == 0 {
		return &otlp.TracesData{}
	}
	scope := &otlp.ScopeSpans{Scope: &common.InstrumentationScope{Name: batch[0].InstrumentationScope().Name}}
	for _, s := range batch {
		scope.Spans = append(scope.Spans, encode(s))
	}
	return &otlp.TracesData{ResourceSpans: []*otlp.ResourceSpans{{
		Resource: &about.Resource{Attributes: values(batch[0].Resource().Attributes())}, ScopeSpans: []*otlp.ScopeSpans{scope},
	}}}
}

// kinds maps kinds of spans to the kinds of OTLP.
var kinds = map[trace.SpanKind]otlp.Span_SpanKind{
	trace.SpanKindInternal: otlp.Span_SPAN_KIND_INTERNAL, trace.SpanKindServer: otlp.Span_SPAN_KIND_SERVER,
	trace.SpanKindClient: otlp.Span_SPAN_KIND_CLIENT, trace.SpanKindProducer: otlp.Span_SPAN_KIND_PRODUCER,
	trace.SpanKindConsumer: otlp.Span_SPAN_KIND_CONSUMER,
}

func encode(s sdktrace.ReadOnlySpan) *otlp.Span {
	id, of := s.SpanContext().SpanID(), s.SpanContext().TraceID()
	span := &otlp.Span{
		TraceId: of[:], SpanId: id[:], TraceState: s.SpanContext().TraceState().String(), Name: s.Name(), Kind: kinds[s.SpanKind()],
		StartTimeUnixNano: uint64(s.StartTime().UnixNano()), EndTimeUnixNano: uint64(s.EndTime().UnixNano()),
		Attributes: values(s.Attributes()), Status: &otlp.Status{}, Flags: uint32(s.SpanContext().TraceFlags()),
		DroppedAttributesCount: uint32(s.DroppedAttributes()), DroppedLinksCount: uint32(s.DroppedLinks()),
	}
	if parent := s.Parent(); parent.SpanID().IsValid() {
		id := parent.SpanID()
		span.ParentSpanId = id[:]
	}
	switch s.Status().Code {
	case codes.Error:
		span.Status.Code = otlp.Status_STATUS_CODE_ERROR
	case codes.Ok:
		span.Status.Code = otlp.Status_STATUS_CODE_OK
	}
	for _, l := range s.Links() {
		id, of := l.SpanContext.SpanID(), l.SpanContext.TraceID()
		span.Links = append(span.Links, &otlp.Span_Link{TraceId: of[:], SpanId: id[:], Flags: uint32(l.SpanContext.TraceFlags())})
	}
	return span
}

// values encodes attributes. This program uses texts, numbers and booleans.
func values(attributes []attribute.KeyValue) []*common.KeyValue {
	all := make([]*common.KeyValue, 0, len(attributes))
	for _, a := range attributes {
		v := &common.AnyValue{}
		switch a.Value.Type() {
		case attribute.INT64:
			v.Value = &common.AnyValue_IntValue{IntValue: a.Value.AsInt64()}
		case attribute.BOOL:
			v.Value = &common.AnyValue_BoolValue{BoolValue: a.Value.AsBool()}
		case attribute.FLOAT64:
			v.Value = &common.AnyValue_DoubleValue{DoubleValue: a.Value.AsFloat64()}
		default:
			v.Value = &common.AnyValue_StringValue{StringValue: a.Value.String()}
		}
		all = append(all, &common.KeyValue{Key: string(a.Key), Value: v})
	}
	return all
}
