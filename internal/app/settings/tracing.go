package settings

import (
	"context"
	"log/slog"
	"time"

	"tapedeck/internal/tracing"
)

// Tracing configures where the traces of a server's own work are sent.
type Tracing struct {
	OTLPEndpoint string `help:"Collector for OpenTelemetry traces of this server's work, OTLP over HTTP; OTEL_EXPORTER_OTLP_ENDPOINT does the same. None by default." name:"otlp-endpoint" env:"TAPEDECK_OTLP_ENDPOINT" placeholder:"URL"`
}

// checkCollector returns an error for an invalid endpoint.
func (f *Tracing) checkCollector() error {
	return (&tracing.Options{Endpoint: f.OTLPEndpoint}).Check()
}

// lastSpans bounds how long a server's shutdown waits until the last spans are sent.
const lastSpans = 2 * time.Second

// StartTracing starts tracing if it is configured. stop sends the last spans.
func (f *Tracing) StartTracing(ctx context.Context, version string, log *slog.Logger) (stop func(), err error) {
	end, err := tracing.Start(ctx, tracing.Options{Endpoint: f.OTLPEndpoint, Version: version, Log: log})
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSpans)
		defer cancel()
		end(ctx)
	}, err
}
