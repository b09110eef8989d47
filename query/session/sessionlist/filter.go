package sessionlist

import (
	"context"
	"strconv"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/endpoint"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/schema"
)

// ReadFilter reads the parameters of a filter but for its range; nil if none is given.
func ReadFilter(p *endpoint.Params) *Filter {
	var f Filter
	f.Text, f.Tags = p.Text("q"), tags(p, "tag")
	f.Agents, f.Tools, f.Models = p.Texts("agent"), p.Texts("tool"), p.Texts("model")
	f.Dialects = p.Texts("dialect")
	f.Providers, f.Runs, f.Nodes, f.ServiceTiers = p.Texts("provider"), p.Texts("run"), p.Texts("node"), p.Texts("service_tier")
	f.CallStatuses = endpoint.SomeOf(p, "call_status", callStatuses)
	f.MinDuration, f.MaxDuration = p.Durations("min_duration", "max_duration")
	f.SilentFor, f.RunningFor = p.Duration("silent_for"), p.Duration("running_for")
	f.MinTokens, f.MaxTokens = p.Tokens()
	f.MinCost, f.MaxCost = p.Costs()
	f.Statuses = endpoint.SomeOf(p, "status", sessionhead.Statuses)
	if f.IsEmpty() {
		return nil
	}
	return &f
}

// callStatuses are what a call can have come to.
var callStatuses = []string{
	string(schema.StatusOK), string(schema.StatusError), string(schema.StatusCancelled),
	string(schema.StatusUnclosed), string(schema.StatusOpen), string(schema.StatusWaiting),
}

// IsEmpty reports whether every session passes the filter.
func (f *Filter) IsEmpty() bool {
	return f.Text == "" && len(f.Tags)+len(f.Agents)+len(f.Tools)+len(f.Models)+len(f.Dialects)+len(f.Statuses) == 0 &&
		len(f.Providers)+len(f.Runs)+len(f.Nodes)+len(f.ServiceTiers)+len(f.CallStatuses) == 0 &&
		f.MinDuration == 0 && f.MaxDuration == 0 && f.SilentFor == 0 && f.RunningFor == 0 &&
		f.MinTokens == 0 && f.MaxTokens == nil && f.MinCost == nil && f.MaxCost == nil && !f.Outdated &&
		f.From.IsZero() && f.To.IsZero()
}

// matchingMost bounds the sessions that Matching returns.
const matchingMost = 1_000_000

// matchingBatch is how many sessions are looked at at once if a filter depends on what only
// their summaries show.
const matchingBatch = 2000

// Matching returns the ids of all sessions that pass a filter.
func Matching(ctx context.Context, r *query.Reader, tenant string, f *Filter) ([]string, error) {
	return selected(ctx, r, Query{Tenant: tenant, Filter: *f, Sort: "started"})
}

// Among returns the ids of those of some sessions that pass a filter.
func Among(ctx context.Context, r *query.Reader, tenant string, f *Filter, sessions []string) ([]string, error) {
	if len(sessions) == 0 {
		return nil, nil
	}
	return selected(ctx, r, Query{Tenant: tenant, Filter: *f, Sort: "started", only: sessions})
}

// selected returns the ids of all sessions that a query selects.
func selected(ctx context.Context, r *query.Reader, q Query) ([]string, error) {
	f := &q.Filter
	shows := len(f.Statuses) > 0 || len(f.Dialects) > 0 || f.SilentFor > 0 || f.RunningFor > 0
	batch := matchingMost + 1
	if shows {
		batch = matchingBatch
	}
	var err error
	if q.only == nil || shows || f.MinCost != nil || f.MaxCost != nil { // else of few sessions the streams alone are read
		if q.view, err = rollup.Read(ctx, r, q.Tenant, nil, nil); err != nil {
			return nil, err
		}
	}
	open, err := openFor(ctx, r, &q, nil)
	if err != nil {
		return nil, err
	}
	var matching []string
	for after := (*query.Mark)(nil); ; {
		ids, err := readIDs(ctx, r, &q, open, after, batch)
		if err != nil {
			return nil, err
		}
		stand, err := stands(ctx, r, &q, ids, shows)
		if err != nil {
			return nil, err
		}
		if matching = append(matching, stand...); len(matching) > matchingMost {
			return nil, &problem.Problem{
				Title: "Too many sessions", Status: 400,
				Detail: "More than " + strconv.Itoa(matchingMost) + " sessions pass the filter.",
				Hint:   "Narrow the filter, or leave it out.",
			}
		}
		if len(ids) < batch {
			return matching, nil
		}
		end := ids[len(ids)-1]
		after = &query.Mark{Key: end.SortKey, ID: end.ID}
	}
}

// stands returns the ids of those sessions that pass the parts of a filter which only
// their summaries show.
func stands(ctx context.Context, r *query.Reader, q *Query, ids []sessionID, shows bool) ([]string, error) {
	var sessions map[string]*summary
	if shows {
		var err error
		if sessions, err = readSummaries(ctx, r, q.Tenant, ids, q.view); err != nil {
			return nil, err
		}
	}
	var list []string
	for i := range ids {
		if s := sessions[ids[i].ID]; !shows || s != nil && q.stands(&s.Summary) {
			list = append(list, ids[i].ID)
		}
	}
	return list, nil
}
