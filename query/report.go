package query

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/ext"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"

	"tapedeck/internal/problem"
)

// ReportRows bounds the rows of a report.
const ReportRows = 200_000

var errTooManyRows = &problem.Problem{
	Title: "Report too long", Status: 400,
	Detail: "This report would have more than " + strconv.Itoa(ReportRows) + " rows.",
	Hint:   "Ask for a shorter range, a coarser granularity or fewer groupings.",
}

func errNoGrouping(name string, allowed []string) error {
	return problem.BadParameter("group_by", fmt.Sprintf("group_by %q is nothing to group by.", name), allowed...)
}

// report is what reports over a range of time have in common.
type report struct {
	tenant      string
	from, to    *time.Time
	zone        *time.Location
	granularity Granularity
	shape       reportShape
	args        args
	tables      []*ext.Table // come with the query
}

// reportShape is what the statements of reports ask of.
type reportShape struct {
	Table, ID, Kind string // the table, the column of its facts' ids, the kind of span
	Period          string
	Groups          []string // SQL
	From, To        bool
	ByNode          bool
	Tags            []string

	// Whether there is anything that needs care: see sql/crossing.sql.
	Crossing, Repeated, Running, Careful, All bool
}

func newReport(tenant string, from, to time.Time, zone *time.Location, g Granularity) *report {
	if zone == nil {
		zone = time.UTC
	}
	if g == "" {
		g = Whole
	}
	b := &report{tenant: tenant, zone: zone, granularity: g}
	b.args = args{"tenant": tenant, "zone": zone.String(), "limit": ReportRows + 1}
	if !from.IsZero() {
		from = from.UTC()
		b.from, b.shape.From, b.args["from"] = &from, true, from.UnixNano()
	}
	if !to.IsZero() {
		to = to.UTC()
		b.to, b.shape.To, b.args["to"] = &to, true, to.UnixNano()
	}
	return b
}

// repeatedLimit is up to how many repeated ids are told apart from the rest. With
// more of them it is cheaper to treat all with care. A variable for tests.
var repeatedLimit = 100_000

// findExceptions looks for what a report cannot just add up, and keeps it in
// tables that come with its queries.
func (b *report) findExceptions(ctx context.Context, r *Reader) error {
	if b.shape.From || b.shape.To {
		rows, err := ask[struct {
			ID string `ch:"session_id"`
		}](ctx, r, "crossing", b.shape, b.args)
		if err != nil {
			return err
		}
		b.shape.Crossing = len(rows) > 0
		if err := attach(b, "crossing_sessions", "session_id", "String", len(rows), func(i int) any { return rows[i].ID }); err != nil {
			return err
		}
	}
	rows, err := ask[struct {
		ID uint64 `ch:"id"`
	}](ctx, r, "repeated_ids", b.shape, b.args.with("limit", repeatedLimit+1))
	if err != nil {
		return err
	}
	if b.shape.All = len(rows) > repeatedLimit; b.shape.All {
		rows = nil
	}
	b.shape.Repeated = len(rows) > 0
	if err := attach(b, "repeated_ids", "id", "UInt64", len(rows), func(i int) any { return rows[i].ID }); err != nil {
		return err
	}
	if b.shape.Table == "usage" {
		running, err := askOne[struct {
			Found uint64 `ch:"found"`
		}](ctx, r, "any_running", b.shape, b.args)
		if err != nil {
			return err
		}
		b.shape.Running = running.Found > 0
	}
	b.shape.Careful = b.shape.Crossing || b.shape.Repeated || b.shape.Running || b.shape.All
	return nil
}

// attach has a table of one column come with the report's queries, if it is not
// empty.
func attach(b *report, table, name string, kind column.Type, rows int, value func(i int) any) error {
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

// askReport is ask for the statements of a report.
func askReport[Row any](ctx context.Context, r *Reader, b *report, name string, a args) ([]Row, error) {
	if len(b.tables) > 0 {
		ctx = clickhouse.Context(ctx, clickhouse.WithExternalTable(b.tables...))
	}
	rows, err := ask[Row](ctx, r, name, b.shape, a)
	if err == nil && len(rows) > ReportRows {
		err = errTooManyRows
	}
	return rows, err
}
