package alerting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tapedeck/query/alerts"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/live"
	"tapedeck/query/alerts/rule"
)

// evaluation evaluates the rules of sessions under one lease. An observation reads what is new of all sessions that are
// being recorded. It takes longer the more there are, so that it is made beside the rounds, and the next one is not due
// for a while. A round is whole if an observation has ended, and short otherwise: a short round has the sessions as the
// last observation read them, and computes which rules hold by now because time has passed. Both then read the sessions
// again in which an alert may begin or end: it begins and ends by what is stored now.
type evaluation struct {
	*ledger
	sessions *live.Reader // for observations
	again    *live.Reader // for sessions that are read again
	timed    []rule.Rule  // the rules that begin to hold because time passes
	observed map[string]*observed
	wholeAt  time.Time // when the next observation is due

	beside   sync.WaitGroup
	observes chan observation // the observation that is being made; nil for none
}

// observation is what was read of all sessions by tenant, without the tenants that could not be read.
type observation struct {
	of   map[string]*observed
	took time.Duration
	err  error
}

// observed are the sessions of a tenant as the last whole round read them.
type observed struct {
	sessions []*evaluate.Session
	usual    func(string) (evaluate.Usual, bool)
}

// againMost bounds how many sessions of a tenant a round reads again.
const againMost = 200

// newEvaluation returns an evaluation of the rules of a ledger.
func newEvaluation(l *ledger) *evaluation {
	sessions := live.NewReader(l.Reader, l.rules)
	e := &evaluation{ledger: l, sessions: sessions, again: sessions.Beside(), observed: map[string]*observed{}}
	e.timed = slices.DeleteFunc(slices.Clone(l.rules), func(r rule.Rule) bool { return r.Kind != rule.ToolOpen && r.Kind != rule.Silence })
	return e
}

// round evaluates the rules once, and reports whether the round was whole, and how long it read. It waits for an
// observation no longer than the interval between rounds.
func (e *evaluation) round(ctx context.Context) (whole bool, took time.Duration, err error) {
	found, err := e.observation(ctx)
	if err != nil {
		return false, 0, err
	}
	began := time.Now()
	now, err := e.storedTo(ctx)
	if err != nil {
		return false, 0, err
	}
	if found == nil {
		err = e.judge(ctx, e.timed, now)
		return false, time.Since(began), err
	}
	first := e.wholeAt.IsZero()
	e.observed = found.of
	err = errors.Join(found.err, e.judge(ctx, e.rules, now))
	for _, o := range e.observed {
		for _, s := range o.sessions {
			s.Calls = latest(s.Calls) // the rules that time decides need no other
		}
	}
	took = found.took + time.Since(began)
	if !first { // the first one reads all spans of all sessions, which later ones do not
		e.wholeAt = began.Add(max(e.Every, e.Share*took) - found.took)
	} else {
		e.wholeAt = began.Add(e.Every)
	}
	return true, took, err
}

// storedTo returns the time until which everything that was received is stored, ns.
func (e *evaluation) storedTo(ctx context.Context) (int64, error) {
	lag, err := e.Lag(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the backlog: %w", err)
	}
	return e.Reader.Now() - int64(lag), nil
}

// observation begins an observation if one is due, and returns it if it ends soon, or one that has ended; nil for none.
func (e *evaluation) observation(ctx context.Context) (*observation, error) {
	if e.observes == nil {
		if time.Now().Before(e.wholeAt) {
			return nil, nil
		}
		now, err := e.storedTo(ctx)
		if err != nil {
			return nil, err
		}
		e.observes = make(chan observation, 1)
		open := e.episodes.All()
		e.beside.Go(func() {
			began := time.Now()
			of, err := e.observe(ctx, open, now)
			e.observes <- observation{of, time.Since(began), err}
		})
	}
	soon := time.NewTimer(e.Every)
	defer soon.Stop()
	select {
	case found := <-e.observes:
		e.observes = nil
		return &found, nil
	case <-soon.C:
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// wait waits until what is read beside the rounds has been read, or has ended with their contexts.
func (e *evaluation) wait() {
	e.beside.Wait()
	e.sessions.Wait()
}

// latest returns the call that began or ended last, without the memory of the others.
func latest(calls []evaluate.Span) []evaluate.Span {
	if len(calls) == 0 {
		return nil
	}
	return []evaluate.Span{slices.MaxFunc(calls, func(a, b evaluate.Span) int { return cmp.Compare(max(a.Begin, a.Ended), max(b.Begin, b.Ended)) })}
}

// observe reads the sessions that are being recorded, and has the tenants of open alerts also if they have none.
func (e *evaluation) observe(ctx context.Context, open []*evaluate.Alert, now int64) (of map[string]*observed, err error) {
	of = map[string]*observed{}
	var tenants []string
	if len(e.rules) > 0 {
		if tenants, err = live.Tenants(ctx, e.Reader); err != nil {
			return of, err
		}
	}
	none := func(string) (u evaluate.Usual, known bool) { return u, false }
	for _, a := range open {
		of[a.Tenant] = &observed{usual: none}
	}
	e.sessions.Only(tenants)
	var failed []error
	for _, tenant := range tenants {
		sessions, err := e.sessions.Sessions(ctx, tenant, now)
		if err != nil {
			delete(of, tenant) // its open alerts go on
			failed = append(failed, fmt.Errorf("tenant %s: %w", tenant, err))
			continue
		}
		usual, err := e.usual(ctx, tenant, sessions)
		if err != nil {
			delete(of, tenant)
			failed = append(failed, fmt.Errorf("tenant %s: %w", tenant, err))
			continue
		}
		of[tenant] = &observed{sessions, usual}
	}
	return of, errors.Join(failed...)
}

// judge reads the sessions again in which one of some rules may begin to hold, or that have an open alert, and begins and
// ends alerts.
func (e *evaluation) judge(ctx context.Context, may []rule.Rule, now int64) error {
	open, holds := e.episodes.All(), map[string]bool{}
	for _, a := range open {
		holds[a.Key] = true
	}
	var failed []error
	for tenant, o := range e.observed {
		ids := e.doubtful(may, o, open, tenant, now)
		if len(ids) == 0 {
			continue
		}
		fresh, err := e.again.Again(ctx, tenant, ids)
		if err != nil {
			failed = append(failed, fmt.Errorf("tenant %s: %w", tenant, err))
			continue
		}
		o.replace(ids, fresh)
		for _, a := range open {
			if a.Tenant == tenant && slices.Contains(ids, a.Session) {
				delete(holds, a.Key)
			}
		}
		if err := e.begins(ctx, tenant, fresh, o, now, holds); err != nil {
			e.episodes.Keep(tenant, holds)
			failed = append(failed, fmt.Errorf("tenant %s: %w", tenant, err))
		}
	}
	failed = append(failed, e.finish(ctx, holds, now))
	return errors.Join(failed...)
}

// doubtful returns the sessions in which one of some rules may begin to hold, then those with an open alert, up to
// againMost.
func (e *evaluation) doubtful(may []rule.Rule, o *observed, open []*evaluate.Alert, tenant string, now int64) (ids []string) {
	for _, s := range o.sessions {
		for _, f := range evaluate.Findings(may, s, o.usual, now) {
			if a := e.episodes.New(s, &f); a != nil && !e.seen[a.ID] && !e.refused[a.ID] && !slices.Contains(ids, s.ID) {
				ids = append(ids, s.ID)
			}
		}
		if len(ids) == againMost {
			return ids
		}
	}
	for _, a := range open { // in no order: if there are more, each has its turn
		if a.Tenant == tenant && len(ids) < againMost && !slices.Contains(ids, a.Session) {
			ids = append(ids, a.Session)
		}
	}
	return ids
}

// replace puts sessions that were read again in the place of those with these ids. Those that were not found are no
// longer recorded.
func (o *observed) replace(ids []string, fresh []*evaluate.Session) {
	o.sessions = slices.DeleteFunc(o.sessions, func(s *evaluate.Session) bool { return slices.Contains(ids, s.ID) })
	o.sessions = append(o.sessions, fresh...)
}

// begins evaluates the rules for sessions as they are stored, adds the conditions that hold, and begins the alerts of
// those that did not hold before.
func (e *evaluation) begins(ctx context.Context, tenant string, sessions []*evaluate.Session, o *observed, now int64, holds map[string]bool) error {
	var fresh []*evaluate.Alert
	for _, s := range sessions {
		e.episodes.KeepRunning(s, holds)
		for _, f := range evaluate.Findings(e.rules, s, o.usual, now) {
			holds[evaluate.Condition(s, &f)] = true
			if a := e.episodes.New(s, &f); a != nil && !e.seen[a.ID] {
				fresh = append(fresh, a)
			}
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	known, err := alerts.Known(ctx, e.Reader, tenant, fresh)
	if err != nil {
		return err
	}
	for _, a := range fresh {
		if known[a.ID] { // this episode was over before
			e.remember(a.ID)
			continue
		}
		if err := e.begin(ctx, a, now); err != nil {
			return err
		}
	}
	return nil
}

// usual reads how long the earlier calls of the tools took that have an open call.
func (e *evaluation) usual(ctx context.Context, tenant string, sessions []*evaluate.Session) (func(string) (evaluate.Usual, bool), error) {
	tools := map[string]bool{}
	for i := range e.rules {
		if r := &e.rules[i]; r.Factor > 0 && r.Applies(tenant) {
			for _, s := range sessions {
				s.EachOpenTool(func(name string) { tools[name] = r.Of(name) || tools[name] })
			}
		}
	}
	for name, observed := range tools {
		if !observed || name == "" {
			delete(tools, name)
		}
	}
	known, err := e.Usuals.Read(ctx, e.Reader, tenant, tools)
	return func(tool string) (evaluate.Usual, bool) {
		u, ok := known[tool]
		return evaluate.Usual{Calls: int64(u.Calls), P99: u.P99MS * 1e6}, ok
	}, err
}
