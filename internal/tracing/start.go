package tracing

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"tapedeck/internal/commandline"
)

// Options configure where spans are sent.
type Options struct {
	// Endpoint is the URL of a collector for OTLP over HTTP, such as http://127.0.0.1:4318. If it
	// is empty, the variables OTEL_EXPORTER_OTLP_TRACES_ENDPOINT and OTEL_EXPORTER_OTLP_ENDPOINT
	// are used; without these tracing is off.
	Endpoint string
	Version  string // of the program
	Log      *slog.Logger
}

// tracesPath is the path to which a collector's clients send spans.
const tracesPath = "/v1/traces"

// Start starts tracing if an endpoint is set. stop sends the remaining spans, until its context
// ends, and stops tracing. OpenTelemetry's variables for sampling, batches, headers and resources
// (OTEL_TRACES_SAMPLER, OTEL_BSP_…, OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME,
// OTEL_RESOURCE_ATTRIBUTES, OTEL_SDK_DISABLED) apply.
func Start(ctx context.Context, o Options) (stop func(context.Context), err error) {
	stop = func(context.Context) {}
	to, err := o.target()
	if err != nil || to == "" || strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return stop, err
	}
	about, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", "tapedeck"), attribute.String("service.version", o.Version),
	), resource.WithHost(), resource.WithFromEnv())
	if err != nil {
		return stop, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(&exporter{to: to, header: headers(), log: o.Log}), sdktrace.WithResource(about))
	tracer := provider.Tracer("tapedeck")
	current.Store(&tracer)
	return func(ctx context.Context) {
		current.Store(nil)
		if err := provider.Shutdown(ctx); err != nil {
			o.Log.Warn("tracing: the last spans were not sent", "error", err)
		}
	}, nil
}

// Check returns an error for an endpoint to which spans cannot be sent.
func (o *Options) Check() error {
	_, err := o.target()
	return err
}

// target returns the URL to which spans are sent; "" for none.
func (o *Options) target() (string, error) {
	to, from := o.Endpoint, "--otlp-endpoint"
	if to == "" {
		to, from = os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), "OTEL_EXPORTER_OTLP_ENDPOINT"
	}
	whole := os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	if o.Endpoint == "" && whole != "" {
		to, from = whole, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	}
	if to == "" {
		return "", nil
	}
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", commandline.Errorf("%s: it must be the URL of a collector for OTLP over HTTP, like http://127.0.0.1:4318", from)
	}
	protocol := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"),
		"http/protobuf")
	if protocol != "http/protobuf" {
		return "", commandline.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL=%s: spans are sent by http/protobuf only", protocol)
	}
	if to != whole {
		u = u.JoinPath(tracesPath)
	}
	return u.String(), nil
}

// headers returns the header fields in OTEL_EXPORTER_OTLP_HEADERS, such as tokens for the
// collector.
func headers() map[string]string {
	all := map[string]string{}
	for field := range strings.SplitSeq(cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS"), os.Getenv("OTEL_EXPORTER_OTLP_HEADERS")), ",") {
		if name, value, is := strings.Cut(field, "="); is {
			if plain, err := url.PathUnescape(value); err == nil {
				value = plain
			}
			all[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return all
}
