// Package grouping has the code that reports over a range of time share: periods, groups, price
// tables, the SQL of the facts in range, and CSV.
package grouping

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/ext"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/pricing/cost"
	"tapedeck/schema/sqltemplate"
)

var statements = query.Statements("report/grouping")

// Statements returns the statements of a package of reports, see query.Statements. They may use the
// templates of this package.
func Statements(dir string) *sqltemplate.Set { return query.Statements(dir, "report/grouping") }

// MaxRows bounds the rows of a report.
const MaxRows = 200_000

// ErrTooManyRows is the error of a report that would be longer than MaxRows.
var ErrTooManyRows = &problem.Problem{
	Title: "Report too long", Status: 400,
	Detail: "This report would have more than " + strconv.Itoa(MaxRows) + " rows.",
	Hint:   "Ask for a shorter range, a coarser granularity or fewer groupings.",
}

// NoGrouping returns the error for an unknown grouping of a report.
func NoGrouping(name string, allowed []string) error {
	return problem.BadParameter("group_by", fmt.Sprintf("group_by %q is not a grouping of this report.", name),
		allowed...)
}

// Report holds the parameters that all reports over a range of time share.
type Report struct {
	Tenant      string
	From, To    *time.Time
	Zone        *time.Location
	Granularity Granularity
	Shape       Shape
	Args        query.Args
	tables      []*ext.Table // external tables of the statements
	view        *rollup.View // the usage that is read as counted; nil if other facts are read
}

// Shape selects the optional parts of the statements of reports.
type Shape struct {
	Period      string
	Groups      []string // SQL
	From, To    bool
	ByNode      bool
	ByStatus    bool
	Tags        []string
	CellTags    []string // SQL
	PlanZones   []string // SQL: the zones whose months cells are of, see Report.SplitMonths
	Among       bool     // select only the sessions of Report.Restrict
	StatedCosts bool     // a source states a cost

	// The report reads usage as counted. Parts reports whether there are parts of tokens.
	rollup.Source
	Parts  bool
	Splits cost.ModelSplits
}

const day = int64(24 * time.Hour)

// New returns a report on a range of time. A zero time means no limit, a nil zone UTC, and ""
// Whole.
func New(tenant string, from, to time.Time, zone *time.Location, g Granularity) *Report {
	if zone == nil {
		zone = time.UTC
	}
	if g == "" {
		g = Whole
	}
	b := &Report{Tenant: tenant, Zone: zone, Granularity: g}
	b.Args = query.Args{"tenant": tenant, "zone": zone.String(), "limit": MaxRows + 1}
	if !from.IsZero() {
		from = from.UTC()
		b.From, b.Shape.From, b.Args["from"] = &from, true, from.UnixNano()
		b.Args["near_from"] = max(from.UnixNano(), math.MinInt64+day) - day
	}
	if !to.IsZero() {
		to = to.UTC()
		b.To, b.Shape.To, b.Args["to"] = &to, true, to.UnixNano()
		b.Args["near_to"] = min(to.UnixNano(), math.MaxInt64-day) + day
	}
	return b
}

// Tag returns the index of a tag in Tags. It adds the tag if it is missing.
func (s *Shape) Tag(name string) int {
	i := slices.Index(s.Tags, name)
	if i < 0 {
		i, s.Tags = len(s.Tags), append(s.Tags, name)
	}
	return i
}

// Restrict limits the report to some sessions.
func (b *Report) Restrict(sessions []string) error {
	b.Shape.Among = true
	t, err := ext.NewTable("among_sessions", ext.Column("session_id", "String"))
	for i := 0; err == nil && i < len(sessions); i++ {
		err = t.Append(sessions[i])
	}
	if err != nil {
		return fmt.Errorf("table among_sessions for a query: %w", err)
	}
	b.tables = append(b.tables, t)
	return nil
}

// SplitMonths makes the calls of a cell be of one calendar month in each of the zones.
func (b *Report) SplitMonths(zones []string) {
	args := query.Args{}
	for i, zone := range zones {
		name := "plan_zone_" + strconv.Itoa(i)
		b.Shape.PlanZones = append(b.Shape.PlanZones, "{"+name+":String}")
		args[name] = zone
	}
	b.Args = b.Args.And(args)
}

// Context returns a context with the external tables of the report's statements.
func (b *Report) Context(ctx context.Context) context.Context {
	if len(b.tables) == 0 {
		return ctx
	}
	return clickhouse.Context(ctx, clickhouse.WithExternalTable(b.tables...))
}

// Ask is query.Ask for the statements of a report.
func Ask[Row any](
	ctx context.Context, r *query.Reader, set *sqltemplate.Set, b *Report, name string, a query.Args,
) ([]Row, error) {
	rows, err := query.Ask[Row](b.Context(ctx), r, set, name, b.Shape, a)
	if err == nil && len(rows) > MaxRows {
		err = ErrTooManyRows
	}
	return rows, err
}
