package query

import (
	"context"
	"errors"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"tapedeck/internal/metric"
	"tapedeck/internal/tracing"
)

// begin starts the span and the measurement of a statement. ended must be called when its rows are
// read. The span has the name of the statement's file, but not its text or arguments.
func begin(ctx context.Context, name string) (_ context.Context, ended func(error)) {
	began := time.Now()
	ctx, span := tracing.Begin(ctx, "clickhouse "+name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("db.system.name", "clickhouse"), attribute.String("db.operation.name", name)))
	return ctx, func(err error) {
		outcome := "ok"
		if err != nil {
			outcome = "error"
		}
		statementSeconds.WithLabelValues(name, outcome).Observe(time.Since(began).Seconds())
		tracing.End(span, err, reason(err))
	}
}

// reason returns the code of ClickHouse's error, or another reason for which a statement ended.
func reason(err error) string {
	if e, ok := errors.AsType[*clickhouse.Exception](err); ok {
		return e.Name
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return "cancelled"
	}
	return "_OTHER"
}

var statementSeconds = metric.HistogramVec(metric.API, "tapedeck_query_statement_seconds",
	"Time that statements on ClickHouse took, by their file in query/sql and how they ended.",
	prometheus.ExponentialBuckets(0.002, 2.5, 10), "statement", "outcome")
