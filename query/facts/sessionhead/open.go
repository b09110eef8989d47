package sessionhead

import (
	"context"
	"slices"

	"tapedeck/query"
)

var statements = query.Statements("facts/sessionhead")

// openLimit bounds how many open and lost sessions are distinguished from the other sessions. The
// sessions with the latest frames are kept.
const openLimit = 100_000

// OpenSession is a session with a stream that has not ended.
type OpenSession struct {
	ID      string `ch:"session_id"`
	Started int64  `ch:"started_ns"`
	Last    int64  `ch:"last_ns"`
	Live    bool   `ch:"live"`
	Lost    bool   `ch:"lost"`
	Status  Status
}

// OpenSessions are the sessions that are running, quiet or lost at one instant.
type OpenSessions struct {
	Now  int64
	list []OpenSession
}

// At returns the instant in ns; 0 if open sessions were not looked up.
func (o *OpenSessions) At() int64 {
	if o == nil {
		return 0
	}
	return o.Now
}

type openRunsRow struct {
	ID       string `ch:"session_id"`
	Runs     uint64 `ch:"runs"`
	OpenRuns uint64 `ch:"open_runs"`
}

// ReadOpen returns the sessions that are open or lost at now, ns.
func ReadOpen(ctx context.Context, r *query.Reader, tenant string, now int64) (*OpenSessions, error) {
	a := query.Liveness(now, r, tenant).With("tenant", tenant).With("limit", openLimit)
	found, err := query.Ask[OpenSession](ctx, r, statements, "open_sessions", nil, a)
	if err != nil || len(found) == 0 {
		return &OpenSessions{Now: now}, err
	}
	runs, err := openRuns(ctx, r, tenant, now, found)
	if err != nil {
		return nil, err
	}
	for i := range found {
		s := &found[i]
		state := sessionState{live: s.Live, lost: s.Lost, silent: query.Since(now, s.Last)}
		if of, ok := runs[s.ID]; ok {
			state.runs, state.openRuns = of.Runs, of.OpenRuns
		}
		s.Status = state.status(r.QuietAfter())
	}
	found = slices.DeleteFunc(found, func(s OpenSession) bool { return !s.Status.Open() && s.Status != Lost })
	return &OpenSessions{Now: now, list: found}, nil
}

// openRuns counts the runs of the sessions whose status depends on runs.
func openRuns(
	ctx context.Context, r *query.Reader, tenant string, now int64, found []OpenSession,
) (map[string]openRunsRow, error) {
	var silent []string
	var first, last int64
	for i := range found {
		s := &found[i]
		if s.Live && query.Since(now, s.Last) <= r.QuietAfter() {
			continue
		}
		if len(silent) == 0 {
			first, last = s.Started, s.Last
		}
		silent = append(silent, s.ID)
		first, last = min(first, s.Started), max(last, s.Last)
	}
	if len(silent) == 0 {
		return nil, nil
	}
	rows, err := query.Ask[openRunsRow](ctx, r, statements, "open_runs", nil,
		query.Args{"tenant": tenant, "sessions": silent}.Within(first, last))
	runs := make(map[string]openRunsRow, len(rows))
	for _, row := range rows {
		runs[row.ID] = row
	}
	return runs, err
}

// Running returns the ids of the sessions that are open.
func (o *OpenSessions) Running() []string {
	return o.Ids(func(s *OpenSession) bool { return s.Status.Open() })
}

func (o *OpenSessions) Ids(which func(*OpenSession) bool) []string {
	ids := []string{}
	for i := range o.list {
		if which(&o.list[i]) {
			ids = append(ids, o.list[i].ID)
		}
	}
	return ids
}
