package sessionfilter

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/query"
	"tapedeck/query/facts/rollup"
)

// settledKeys maps the words of Sort to columns of settled_costs.
var settledKeys = map[string]string{
	"started": "started_ns",
	"last_at": "last_ns",
	"cost":    "cost_key",
}

// unsettledNamed is the largest number of unsettled sessions that are read besides the settled
// ones.
const unsettledNamed = 2000

// candidate is a session with its position by settled cost.
type candidate struct {
	ID      string `ch:"session_id"`
	Started int64  `ch:"started_ns"`
	Last    int64  `ch:"last_ns"`
	SortKey int64  `ch:"sort_key"`
}

// candidatesShape selects the optional parts of sql/settled_candidates.sql.
type candidatesShape struct {
	SortKey                     string
	Descending, From, To, After bool
	MinCost, MaxCost            bool
	rollup.Source
}

// bySettledCosts returns a page of an order in which sessions with a known cost come first, or of
// sessions with a known cost only. It checks the filter for the first settled sessions and for all
// unsettled sessions. It returns false if nothing is settled or if it finds too few.
func bySettledCosts(
	ctx context.Context, r *query.Reader, q *Selection, after *query.Mark,
	limit int, shape sessionIDsShape, a query.Args,
) (ids []Session, found bool, err error) {
	word := strings.TrimPrefix(string(q.Sort), "-")
	known := q.MinCost != nil || q.MaxCost != nil
	if shape.Few || q.view.All || settledKeys[word] == "" || len(q.view.Unsettled) > unsettledNamed ||
		!known && !shape.Descending {
		return nil, false, nil
	}
	table, err := r.Prices(ctx, "")
	if err != nil {
		return nil, false, err
	}
	batches, stored := q.view.Costs(table.Hash())
	if !stored {
		return nil, false, nil
	}
	first := candidatesShape{
		SortKey: settledKeys[word], Descending: shape.Descending, From: shape.From, To: shape.To, After: shape.After,
		MinCost: q.MinCost != nil, MaxCost: q.MaxCost != nil, Source: q.view.Source(),
	}
	args := a.With("costs", batches).With("recent_costs", q.view.Recent().Costs)
	if first.MinCost {
		args["min_cost"] = q.MinCost.String()
	}
	if first.MaxCost {
		args["max_cost"] = q.MaxCost.String()
	}
	tables, err := q.view.Tables()
	if err != nil {
		return nil, false, err
	}
	with := clickhouse.Context(ctx, clickhouse.WithExternalTable(tables...))
	shape.Few = true
	for _, rows := range []int{limit + defaultSpare, 16*limit + defaultSpare} {
		front, err := query.Ask[candidate](with, r, statements, "settled_candidates", first, args.With("rows", rows))
		if err != nil {
			return nil, false, err
		}
		if ids, err = passing(ctx, r, q, shape, a, front); err != nil {
			return nil, false, err
		}
		all := len(front) < rows
		if !all {
			ids = before(ids, front[rows-1], shape.Descending)
		}
		if len(ids) >= limit || all && known {
			return ids[:min(limit, len(ids))], true, nil
		}
		if all {
			break // sessions with an unknown cost come next
		}
	}
	return nil, false, nil
}

// passing returns, in order, the candidates and the unsettled sessions that pass the filter.
// Candidates already satisfy the conditions on times and costs.
func passing(
	ctx context.Context, r *query.Reader, q *Selection, shape sessionIDsShape, a query.Args, front []candidate,
) ([]Session, error) {
	var ids []Session
	names := slices.Clone(q.view.Unsettled)
	for _, c := range front {
		if shape.selects() {
			names = append(names, c.ID)
			continue
		}
		ids = append(ids, Session{ID: c.ID, Started: c.Started, Last: c.Last, SortKey: c.SortKey})
	}
	if len(names) == 0 {
		return ids, nil
	}
	others, err := askIDs(ctx, r, q, shape, a.With("among", names))
	if err != nil || len(ids) == 0 {
		return others, err
	}
	ids = append(ids, others...)
	slices.SortFunc(ids, func(x, y Session) int {
		order := cmp.Or(cmp.Compare(x.SortKey, y.SortKey), cmp.Compare(x.ID, y.ID))
		if shape.Descending {
			return -order
		}
		return order
	})
	return ids, nil
}

// selects reports whether the filter has conditions on anything except times and costs.
func (s *sessionIDsShape) selects() bool {
	return s.facts() || s.Dialects || s.Text || s.Tokens || s.MinDuration || s.MaxDuration ||
		s.Outdated || s.Labels || s.Thumbs || s.RunStatuses || len(s.Tags) > 0
}

// before returns the sessions that come no later than a candidate. Sessions that were not examined
// come after it.
func before(ids []Session, last candidate, descending bool) []Session {
	n := slices.IndexFunc(ids, func(s Session) bool {
		place := cmp.Or(cmp.Compare(s.SortKey, last.SortKey), cmp.Compare(s.ID, last.ID))
		return descending && place < 0 || !descending && place > 0
	})
	if n < 0 {
		return ids
	}
	return ids[:n]
}
