package jetstream

import (
	"context"
	"errors"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"tapedeck/internal/tracing"
)

// beginPublish begins the span of a message, which ends when the message is acknowledged. The span
// is a child of the request with which the first block arrived.
func beginPublish(b *bundle) (context.Context, trace.Span) {
	if !tracing.On() {
		return context.Background(), nil
	}
	ctx := context.Background()
	if b.origin.IsValid() {
		ctx = trace.ContextWithSpanContext(ctx, b.origin)
	}
	return tracing.Begin(ctx, "publish "+StreamName, trace.WithSpanKind(trace.SpanKindProducer), trace.WithAttributes(
		attribute.String("messaging.system", "nats"), attribute.String("messaging.destination.name", StreamName),
		attribute.Int("messaging.batch.message_count", len(b.dones)), attribute.Int("messaging.message.body.size",
			b.size)))
}

// reason returns the code of the reason for which JetStream did not accept a message.
func reason(err error) string {
	var api *jetstream.APIError
	switch {
	case errors.As(err, &api):
		return strconv.Itoa(int(api.ErrorCode))
	case errors.Is(err, jetstream.ErrAsyncPublishTimeout):
		return "timeout"
	case errors.Is(err, nats.ErrDisconnected), errors.Is(err, nats.ErrNoResponders):
		return "unavailable"
	}
	return "_OTHER"
}
