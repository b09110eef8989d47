package sessionfilter

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/notes"
	"tapedeck/query/pricing/cost"
	"tapedeck/schema"
)

// Session is a session with its position in the order of a selection.
type Session struct {
	ID      string `ch:"session_id"`
	Started int64  `ch:"started_ns"`
	Last    int64  `ch:"last_ns"`
	SortKey int64  `ch:"sort_key"`
	// OldestStream is when the session's first stream began, in seconds since 1970; 0 if it was not
	// looked up.
	OldestStream int64 `ch:"oldest_stream_s"`
	// totals is the session's usage; nil if it was not looked up.
	totals *cost.UsageTotals
}

// sessionIDsShape selects the optional parts of sql/session_ids.sql.
type sessionIDsShape struct {
	SortKey                         string
	Time                            string // column of a row's time, in orders by time
	Descending                      bool
	Agents, Tools, Models, Dialects bool
	Providers, Runs, Nodes          bool
	ServiceTiers, CallStatuses      bool
	Text, Tokens, MinTokens         bool
	MaxTokens                       bool
	MinDuration, MaxDuration        bool
	From, To, After, OrCut          bool
	RunStatuses, Outdated           bool
	Labels, Thumbs                  bool
	Begin, Edge, Floor, Few         bool // see frontFirst
	Apart                           bool // see byDuration
	Only                            bool // see Among
	Tags                            []TagFilter
	Cost, MinCost, MaxCost          bool
	KnownCost                       bool // only sessions with a known cost
	cellShape
	NoToolName  bool // tool calls without a name are selected
	Unknown     []Unknown
	Unnamed     []string // columns of usage records that are empty in a record of the sessions
	StoredCosts bool     // costs of settled sessions are read from settled_costs
}

// sortKeys maps the words of Sort to their columns.
var sortKeys = map[string]string{
	"started":  "started_ns",
	"last_at":  "last_ns",
	"duration": "if(session_id IN {open:Array(String)}, greatest({now:Int64}, last_ns), end_ns) - started_ns",
	"tokens":   "tokens",
	// The cost in 10⁻¹² of the currency's unit, -1 if it is unknown. Sessions whose costs differ by
	// less are ordered by id.
	"cost": "if(isNull(known_cost), -1, toInt64(least(assumeNotNull(known_cost), 9000000) * 1000000000000))",
}

// readIDs returns the ids of sessions after the mark, in order. The sessions pass the filter,
// except that of its statuses only those are applied that a statement can rule out.
func readIDs(
	ctx context.Context, r *query.Reader, q *Selection, after *query.Mark, limit int,
) (list []Session, err error) {
	word, descending := strings.CutPrefix(string(q.Sort), "-")
	if sortKeys[word] == "" {
		return nil, problem.BadParameter("sort", fmt.Sprintf("sort %q is not known.", q.Sort))
	}
	statuses := likelyRuns(q.Statuses)
	shape := sessionIDsShape{
		SortKey: sortKeys[word], Time: timeSorts[word], Descending: descending,
		Agents: len(q.Agents) > 0, Tools: len(q.Tools) > 0, Models: len(q.Models) > 0,
		Providers: len(q.Providers) > 0, Runs: len(q.Runs) > 0, Nodes: len(q.Nodes) > 0,
		ServiceTiers: len(q.ServiceTiers) > 0, CallStatuses: len(q.CallStatuses) > 0,
		Labels: len(q.Labels) > 0, Thumbs: len(q.Thumbs) > 0,
		Dialects: len(q.Dialects) > 0, Text: q.Text != "", Tags: q.Tags,
		MinDuration: q.MinDuration > 0, MaxDuration: q.MaxDuration > 0,
		MinTokens: q.MinTokens > 0, MaxTokens: q.MaxTokens != nil,
		From: !q.From.IsZero(), To: !q.To.IsZero(), After: after != nil,
		NoToolName: slices.Contains(q.Tools, ""), Unknown: q.Unknown,
		Outdated: q.Outdated, RunStatuses: len(statuses) > 0,
		OrCut: slices.Contains(q.Statuses, sessionhead.Incomplete),
	}
	for _, of := range q.names() {
		if slices.Contains(of.list, "") {
			shape.Unnamed = append(shape.Unnamed, of.column)
		}
	}
	a := query.Args{
		"tenant": q.Tenant, "agents": known(q.Agents), "tools": known(q.Tools),
		"models": known(q.Models), "dialects": q.Dialects, "text": q.Text,
		"providers": known(q.Providers), "runs": known(q.Runs), "nodes": known(q.Nodes),
		"labels": q.Labels, "thumbs": texts(q.Thumbs),
		"service_tiers": known(q.ServiceTiers), "call_statuses": q.CallStatuses,
		"min_duration": q.MinDuration.Nanoseconds(),
		"max_duration": q.MaxDuration.Nanoseconds(), "min_tokens": q.MinTokens,
		"limit": limit, "run_statuses": statuses, "decoders": r.DecoderVersion(),
	}
	shape.Tokens = shape.MinTokens || shape.MaxTokens || word == "tokens"
	if shape.MaxTokens {
		a["max_tokens"] = *q.MaxTokens
	}
	if q.open != nil {
		a["open"], a["now"] = q.open.Running(), q.open.Now
	}
	if q.openOnly() {
		shape.Few, a["among"] = true, matching(q.open, &q.Filter)
	}
	if shape.Only = q.only != nil; shape.Only {
		a["only"] = q.only
	}
	if shape.From {
		a["from"] = q.From.UnixNano()
	}
	if shape.To {
		a["to"] = q.To.UnixNano()
	}
	if after != nil {
		a["after_key"], a["after_id"] = after.Key, after.ID
	}
	for i, tag := range q.Tags {
		a["tag_"+strconv.Itoa(i)+"_key"], a["tag_"+strconv.Itoa(i)+"_value"] = tag.Key, tag.Value
	}
	shape.Cost = word == "cost" || q.MinCost != nil || q.MaxCost != nil
	if shape.Cost && !shape.Only {
		if ids, found, err := bySettledCosts(ctx, r, q, after, limit, shape, a); found || err != nil {
			return ids, err
		}
	}
	switch {
	case shape.Few || shape.Only: // only these sessions
	case shape.Cost && !shape.oldestLast(): // all sessions, since a window of time does not bound their usage
	case shape.Time != "":
		return frontFirst(ctx, r, q, after, limit, shape, a)
	case word == "tokens" && descending:
		return mostTokens(ctx, r, q, after, limit, shape, a)
	case shape.whole():
		return byDuration(ctx, r, q, shape, a)
	}
	return askIDs(ctx, r, q, shape, a)
}

// askIDs reads ids, with the rates of costs if the shape needs them.
func askIDs(
	ctx context.Context, r *query.Reader, q *Selection, shape sessionIDsShape, a query.Args,
) (list []Session, err error) {
	if shape.Cost {
		a = maps.Clone(a)
		if ctx, err = withCosts(ctx, r, q, &shape, a); err != nil {
			return nil, err
		}
	}
	return query.Ask[Session](ctx, r, statements, "session_ids", shape, a)
}

// texts returns verdicts as parameters of a statement.
func texts(thumbs []notes.Thumb) []string {
	list := make([]string, len(thumbs))
	for i, t := range thumbs {
		list[i] = string(t)
	}
	return list
}

// facts reports whether the filter selects sessions by rows of their facts.
func (s *sessionIDsShape) facts() bool {
	return s.Agents || s.Tools || s.Models || s.Providers || s.Runs || s.Nodes || s.ServiceTiers ||
		s.CallStatuses || len(s.Unknown) > 0
}

// Lengths reports whether the statement needs the ends of sessions.
func (s sessionIDsShape) Lengths() bool {
	return s.SortKey == sortKeys["duration"] || s.MinDuration || s.MaxDuration
}

// Duration is the SQL expression of a session's duration. The open sessions are a parameter of it.
func (sessionIDsShape) Duration() string { return sortKeys["duration"] }

// openFor looks up the open sessions if the query depends on them. With a mark, their ages are
// measured at the time of the first page.
func openFor(ctx context.Context, r *query.Reader, q *Selection, after *query.Mark) (*sessionhead.OpenSessions, error) {
	if !q.openOnly() && q.MinDuration == 0 && q.MaxDuration == 0 && !strings.HasSuffix(string(q.Sort), "duration") {
		return nil, nil
	}
	open, err := sessionhead.ReadOpen(ctx, r, q.Tenant, r.Now())
	if err == nil && after != nil && after.Now != 0 {
		open.Now = after.Now
	}
	return open, err
}

// openOnly reports whether the query selects only open and lost sessions.
func (f *Filter) openOnly() bool {
	return f.SilentFor > 0 || f.RunningFor > 0 ||
		len(f.Statuses) > 0 && !slices.ContainsFunc(f.Statuses, func(s sessionhead.Status) bool {
			return !s.Open() && s != sessionhead.Lost
		})
}

// likelyRuns lists the statuses of runs of which a session must have one to have any of the
// requested statuses; nil if there is no such list.
func likelyRuns(asked []sessionhead.Status) []string {
	if len(asked) == 0 {
		return nil
	}
	var runs []string
	for _, s := range asked {
		switch s {
		case sessionhead.Failed:
			runs = append(runs, string(schema.StatusError))
		case sessionhead.Cancelled:
			runs = append(runs, string(schema.StatusCancelled))
		case sessionhead.Incomplete:
			runs = append(runs, "", string(schema.StatusOpen), string(schema.StatusWaiting),
				string(schema.StatusUnclosed))
		default:
			return nil
		}
	}
	return runs
}

// matching returns the ids of the open sessions that have one of the filter's statuses, if it has
// any, and have been open and silent for long enough.
func matching(o *sessionhead.OpenSessions, f *Filter) []string {
	return o.Ids(func(s *sessionhead.OpenSession) bool {
		return (len(f.Statuses) == 0 || slices.Contains(f.Statuses, s.Status)) &&
			(f.SilentFor <= 0 || query.Since(o.Now, s.Last) >= f.SilentFor) &&
			(f.RunningFor <= 0 || s.Status.Open() && query.Since(o.Now, s.Started) >= f.RunningFor)
	})
}
