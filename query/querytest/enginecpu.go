package querytest

import (
	"context"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// WithEngineCPU has a benchmark report the CPU time that ClickHouse spent on what
// is asked under the context: less of it depends on who else is at work than of
// the time that passed.
func WithEngineCPU(b *testing.B, ctx context.Context) context.Context {
	var microseconds int64 // written by the goroutine that asks
	b.Cleanup(func() { b.ReportMetric(float64(microseconds)/1e3/float64(b.N), "engine-ms/op") })
	return clickhouse.Context(ctx, clickhouse.WithProfileEvents(func(events []clickhouse.ProfileEvent) {
		for _, e := range events {
			if e.Name == "UserTimeMicroseconds" || e.Name == "SystemTimeMicroseconds" {
				microseconds += e.Value
			}
		}
	}))
}
