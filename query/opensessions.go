package query

import (
	"context"
	"slices"
	"time"
)

// openLimit bounds how many open and lost sessions are distinguished from the rest:
// those in which a frame came last.
const openLimit = 100_000

// openSession is a session with a stream that has not ended.
type openSession struct {
	ID      string `ch:"session_id"`
	Started int64  `ch:"started_ns"`
	Last    int64  `ch:"last_ns"`
	Live    bool   `ch:"live"`
	Lost    bool   `ch:"lost"`
	status  SessionStatus
}

// openSessions are the sessions that are running, quiet or lost at a moment.
type openSessions struct {
	now  int64
	list []openSession
}

// at is the moment, 0 if nothing was looked up.
func (o *openSessions) at() int64 {
	if o == nil {
		return 0
	}
	return o.now
}

type openRunsRow struct {
	ID       string `ch:"session_id"`
	Runs     uint64 `ch:"runs"`
	OpenRuns uint64 `ch:"open_runs"`
}

// openSessions returns the sessions that are open or lost at now, ns.
func (r *Reader) openSessions(ctx context.Context, tenant string, now int64) (*openSessions, error) {
	a := r.liveness(now).with("tenant", tenant).with("limit", openLimit)
	found, err := ask[openSession](ctx, r, "open_sessions", nil, a)
	if err != nil || len(found) == 0 {
		return &openSessions{now: now}, err
	}
	runs, err := r.openRuns(ctx, tenant, now, found)
	if err != nil {
		return nil, err
	}
	for i := range found {
		s := &found[i]
		state := sessionState{live: s.Live, lost: s.Lost, silent: since(now, s.Last)}
		if of, ok := runs[s.ID]; ok {
			state.runs, state.openRuns = of.Runs, of.OpenRuns
		}
		s.status = state.status(r.quietAfter)
	}
	found = slices.DeleteFunc(found, func(s openSession) bool { return !s.status.Open() && s.status != Lost })
	return &openSessions{now: now, list: found}, nil
}

// openRuns counts the runs of the sessions whose status depends on them.
func (r *Reader) openRuns(ctx context.Context, tenant string, now int64, found []openSession) (map[string]openRunsRow, error) {
	var silent []string
	var first, last int64
	for i := range found {
		s := &found[i]
		if s.Live && since(now, s.Last) <= r.quietAfter {
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
	rows, err := ask[openRunsRow](ctx, r, "open_runs", nil, args{"tenant": tenant, "sessions": silent}.within(first, last))
	runs := make(map[string]openRunsRow, len(rows))
	for _, row := range rows {
		runs[row.ID] = row
	}
	return runs, err
}

// running returns the ids of the open ones.
func (o *openSessions) running() []string {
	return o.ids(func(s *openSession) bool { return s.status.Open() })
}

// matching returns the ids of those that have one of the statuses, if any are asked
// for, and have been open and silent for long enough.
func (o *openSessions) matching(f *SessionFilter) []string {
	return o.ids(func(s *openSession) bool {
		return (len(f.Statuses) == 0 || slices.Contains(f.Statuses, s.status)) &&
			(f.SilentFor <= 0 || since(o.now, s.Last) >= f.SilentFor) &&
			(f.RunningFor <= 0 || s.status.Open() && since(o.now, s.Started) >= f.RunningFor)
	})
}

func (o *openSessions) ids(which func(*openSession) bool) []string {
	ids := []string{}
	for i := range o.list {
		if which(&o.list[i]) {
			ids = append(ids, o.list[i].ID)
		}
	}
	return ids
}

// since is the time from one moment to another, ns since 1970; never negative, as
// the clock of a recorder may be ahead of this one.
func since(now, then int64) time.Duration { return time.Duration(max(now-then, 0)) }
