package toolreport

import (
	"context"
	"maps"
	"slices"
	"time"

	"tapedeck/query"
	"tapedeck/query/report/grouping"
)

// UsualCalls is how many calls of a tool a p99 requires.
const UsualCalls = 20

// UsualRange is how far back the calls of ReadUsual reach.
const UsualRange = 30 * 24 * time.Hour

// Usual is how long the calls of a tool take.
type Usual struct {
	Calls uint64 // calls that ended and have a time
	P99MS float64
}

type usualRow struct {
	Tool  string  `ch:"span_name"`
	Calls uint64  `ch:"timed_calls"`
	P99   float64 `ch:"p99_ns"`
}

// ReadUsual returns how long the calls of tools took in the past 30 days, by the name of the tool.
// Tools with fewer than UsualCalls calls that have a time are left out.
func ReadUsual(ctx context.Context, r *query.Reader, tenant string, tools map[string]bool) (map[string]Usual, error) {
	usual := make(map[string]Usual, len(tools))
	if len(tools) == 0 {
		return usual, nil
	}
	now := query.Instant(r.Now())
	b := grouping.New(tenant, now.Add(-UsualRange), time.Time{}, nil, grouping.Whole)
	if err := b.UseCalls(ctx, r); err != nil {
		return nil, err
	}
	// Only calls that ended count, so no session is regarded as open.
	b.Args["open"], b.Args["now"] = []string{}, r.Now()
	b.Args["tools"], b.Args["least"] = slices.Sorted(maps.Keys(tools)), UsualCalls
	rows, err := grouping.Ask[usualRow](ctx, r, statements, b, "tools_usual", b.Args)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		usual[row.Tool] = Usual{Calls: row.Calls, P99MS: row.P99 / 1e6}
	}
	return usual, nil
}
