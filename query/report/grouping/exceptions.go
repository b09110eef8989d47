package grouping

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/ext"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"

	"tapedeck/query"
)

// FindExceptions looks for spans that a report cannot simply add up, and attaches their ids as
// external tables to the report's statements.
func (b *Report) FindExceptions(ctx context.Context, r *query.Reader) error {
	if err := b.findCrossing(ctx, r); err != nil {
		return err
	}
	repeated, err := query.Ask[repeatedID](ctx, r, statements, "repeated_ids", b.Shape,
		b.Args.With("limit", r.RepeatedLimit()+1))
	if err != nil {
		return err
	}
	if b.Shape.Everything = len(repeated) > r.RepeatedLimit(); b.Shape.Everything {
		repeated = nil
	}
	b.Shape.Repeated = len(repeated) > 0
	b.Shape.Careful = b.Shape.Crossing || b.Shape.Repeated || b.Shape.Everything
	return attach(b, "repeated_ids", "id", "UInt64", len(repeated), func(i int) any { return repeated[i].ID })
}

// repeatedID is the hash of an id that occurs in several rows of the range.
type repeatedID struct {
	ID uint64 `ch:"id"`
}

// crossing is a session that crosses a bound of the range, with its first and last time.
type crossing struct {
	ID    string `ch:"session_id"`
	First int64  `ch:"first_ns"`
	Last  int64  `ch:"last_ns"`
}

// findCrossing looks for the sessions that cross a bound of the range. The days whose rows may need
// care are those of the range and of these sessions, with a spare day on each side.
func (b *Report) findCrossing(ctx context.Context, r *query.Reader) error {
	if !b.Shape.From && !b.Shape.To {
		return nil
	}
	rows, err := query.Ask[crossing](ctx, r, statements, "crossing", b.Shape, b.Args)
	if err != nil {
		return err
	}
	for _, s := range rows {
		if b.From != nil {
			b.Args["care_from"] = min(b.Args["care_from"].(int64), before(s.First))
		}
		if b.To != nil {
			b.Args["care_to"] = max(b.Args["care_to"].(int64), after(s.Last))
		}
	}
	b.Shape.Crossing = len(rows) > 0
	return attach(b, "crossing_sessions", "session_id", "String", len(rows), func(i int) any { return rows[i].ID })
}

// before returns the time one day earlier, ns.
func before(ns int64) int64 { return max(ns, math.MinInt64+day) - day }

// after returns the time one day later, ns.
func after(ns int64) int64 { return min(ns, math.MaxInt64-day) + day }

const day = int64(24 * time.Hour)

// attach adds an external table of one column to the report's statements, if the table is not
// empty.
func attach(b *Report, table, name string, kind column.Type, rows int, value func(i int) any) error {
	if rows == 0 {
		return nil
	}
	t, err := ext.NewTable(table, ext.Column(name, kind))
	for i := 0; err == nil && i < rows; i++ {
		err = t.Append(value(i))
	}
	if err != nil {
		return fmt.Errorf("table %s for a query: %w", table, err)
	}
	b.tables = append(b.tables, t)
	return nil
}
