package querytest

import (
	"context"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// WithEngineCPU makes a benchmark report the CPU time that ClickHouse spent on the statements of
// the context. It depends less on the load of the machine than the elapsed time.
func WithEngineCPU(b *testing.B, ctx context.Context) context.Context {
	var microseconds int64 // written by the goroutine that runs the statement
	b.Cleanup(func() { b.ReportMetric(float64(microseconds)/1e3/float64(b.N), "engine-ms/op") })
	return clickhouse.Context(ctx, clickhouse.WithProfileEvents(func(events []clickhouse.ProfileEvent) {
		for _, e := range events {
			if e.Name == "UserTimeMicroseconds" || e.Name == "SystemTimeMicroseconds" {
				microseconds += e.Value
			}
		}
	}))
}
