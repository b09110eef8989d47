package sink

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"tapedeck/internal/tracing"
)

// mostLinks bounds the number of messages that the span of an insert links to.
const mostLinks = 64

// beginInsert begins the span of an insert, with links to the messages that the insert stores.
func beginInsert(ctx context.Context, b *batch) (context.Context, trace.Span) {
	if !tracing.On() {
		return tracing.Begin(ctx, "")
	}
	var links []trace.Link
	for _, m := range b.messages {
		if link, is := tracing.LinkTo(m.Headers()); is && len(links) < mostLinks {
			links = append(links, link)
		}
	}
	return tracing.Begin(
		ctx, "sink insert", trace.WithSpanKind(trace.SpanKindConsumer), trace.WithLinks(links...),
		trace.WithAttributes(
			attribute.String("db.system.name", "clickhouse"), attribute.Int("tapedeck.frames", b.columns.Frames()),
			attribute.Int("tapedeck.blocks", b.blocks), attribute.Int("messaging.batch.message_count", len(b.messages))),
	)
}
