package tracing_test

import (
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"

	"tapedeck/internal/metric/metrictest"
	"tapedeck/internal/tracing"
	"tapedeck/internal/tracing/tracingtest"
)

var quiet = slog.New(slog.DiscardHandler)

func start(t *testing.T, endpoint string) (stop func(context.Context)) {
	t.Helper()
	stop, err := tracing.Start(t.Context(), tracing.Options{Endpoint: endpoint, Version: "1.2.3", Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	return stop
}

// Spans arrive at a collector with their parents, attributes and outcome; without the text of errors.
func TestSpans(t *testing.T) {
	metrictest.Grow(t, "tapedeck_trace_spans_total")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20x, other=y")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	r := tracingtest.New(t)
	stop := start(t, r.URL)
	const of, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	ctx := tracing.Extract(t.Context(), map[string][]string{"Traceparent": {"00-" + of + "-" + parent + "-01"}})
	ctx, outer := tracing.Span(ctx, "outer", attribute.Int("n", 3), attribute.String("route", "/x"))
	_, inner := tracing.Span(ctx, "inner")
	tracing.End(inner, errors.New("a secret"), "code-7")
	head := map[string][]string{}
	tracing.Inject(ctx, head)
	tracing.End(outer, nil, "")
	r.Refuse(503) // it is tried again
	stop(t.Context())
	spans := r.Spans()
	if len(spans) != 2 {
		t.Fatalf("%d spans", len(spans))
	}
	in, out := r.Named("inner")[0], r.Named("outer")[0]
	if hex.EncodeToString(out.TraceId) != of || hex.EncodeToString(out.ParentSpanId) != parent || string(in.ParentSpanId) != string(out.SpanId) || in.EndTimeUnixNano < in.StartTimeUnixNano {
		t.Errorf("%v\n%v", out, in)
	}
	if in.Status.Code != otlp.Status_STATUS_CODE_ERROR || tracingtest.Text(in, "error.type") != "code-7" || strings.Contains(in.String(), "secret") {
		t.Errorf("%v", in)
	}
	if tracingtest.Text(out, "route") != "/x" || !strings.HasPrefix(head["Traceparent"][0], "00-"+of+"-"+hex.EncodeToString(out.SpanId)) {
		t.Errorf("%v, %v", out, head)
	}
	if link, is := tracing.LinkTo(head); !is || link.SpanContext.SpanID().String() != hex.EncodeToString(out.SpanId) {
		t.Errorf("%v", link)
	}
	if r.Field("Authorization") != "Bearer x" || r.Resource("service.name") != "tapedeck" || r.Resource("service.version") != "1.2.3" || r.Resource("deployment.environment.name") != "test" {
		t.Error("the head or the resource is not as it was set")
	}
}

// Without an endpoint nothing is recorded, and a span costs nothing.
func TestOff(t *testing.T) {
	stop := start(t, "")
	defer stop(t.Context())
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		_, span := tracing.Begin(ctx, "x")
		tracing.End(span, nil, "")
	}); n != 0 || tracing.On() {
		t.Errorf("%v allocations, on: %t", n, tracing.On())
	}
	t.Setenv("OTEL_SDK_DISABLED", "true")
	start(t, "http://127.0.0.1:1")
	if tracing.On() {
		t.Error("the SDK is disabled and spans are recorded")
	}
}

// A collector that is away drops spans and nothing else.
func TestCollectorAway(t *testing.T) {
	r := tracingtest.New(t)
	r.Refuse(400, 400)
	stop := start(t, r.URL)
	_, span := tracing.Span(t.Context(), "x")
	span.End()
	stop(t.Context())
	if n := len(r.Spans()); n != 0 || tracing.On() {
		t.Errorf("%d spans", n)
	}
}

// What is no URL of a collector is refused with the name of the setting.
func TestBadEndpoint(t *testing.T) {
	for name, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "127.0.0.1:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "grpc://h:4317",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			if _, err := tracing.Start(t.Context(), tracing.Options{Log: quiet}); err == nil || !strings.Contains(err.Error(), name+": it must be") {
				t.Error(err)
			}
		})
	}
	t.Run("protocol", func(t *testing.T) {
		t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
		if _, err := tracing.Start(t.Context(), tracing.Options{Endpoint: "http://h", Log: quiet}); err == nil || !strings.Contains(err.Error(), "http/protobuf only") {
			t.Error(err)
		}
	})
	if _, err := tracing.Start(t.Context(), tracing.Options{Endpoint: "h:1", Log: quiet}); err == nil || !strings.Contains(err.Error(), "--otlp-endpoint") {
		t.Error(err)
	}
}
