package alerting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tapedeck/query/alerts"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/live"
	"tapedeck/query/alerts/rule"
)

// evaluation evaluates the rules of sessions under one lease. A round is whole or short. A whole round reads what is new
// of all sessions that are being recorded. It takes longer the more there are, so that the next one is not due for a
// while; a short round has the sessions as the last whole one read them, and computes which rules hold by now because
// time has passed. Both then read the sessions again in which an alert may begin or end: it begins and ends by what is
// stored now.
type evaluation struct {
	*ledger
	sessions *live.Reader
	timed    []rule.Rule // the rules that begin to hold because time passes
	observed map[string]*observed
	wholeAt  time.Time // when the next whole round is due
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
	e := &evaluation{ledger: l, sessions: live.NewReader(l.Reader, l.rules), observed: map[string]*observed{}}
	e.timed = slices.DeleteFunc(slices.Clone(l.rules), func(r rule.Rule) bool { return r.Kind != rule.ToolOpen && r.Kind != rule.Silence })
	return e
}

// round evaluates the rules once, and reports whether the round was whole.
func (e *evaluation) round(ctx context.Context) (whole bool, err error) {
	lag, err := e.Lag(ctx)
	if err != nil {
		return false, fmt.Errorf("read the backlog: %w", err)
	}
	now, began := e.Reader.Now()-int64(lag), time.Now()
	if began.Before(e.wholeAt) {
		return false, e.judge(ctx, e.timed, now)
	}
	first := e.wholeAt.IsZero()
	err = errors.Join(e.observe(ctx, now), e.judge(ctx, e.rules, now))
	for _, o := range e.observed {
		for _, s := range o.sessions {
			s.Calls = latest(s.Calls) // the rules that time decides need no other
		}
	}
	took := time.Since(began)
	if first { // it read all spans of all sessions, which later rounds do not
		took = 0
	}
	e.wholeAt = began.Add(max(e.Every, e.Share*took))
	return true, err
}

// latest returns the call that began or ended last, without the memory of the others.
func latest(calls []evaluate.Span) []evaluate.Span {
	if len(calls) == 0 {
		return nil
	}
	return []evaluate.Span{slices.MaxFunc(calls, func(a, b evaluate.Span) int { return cmp.Compare(max(a.Begin, a.Ended), max(b.Begin, b.Ended)) })}
}

// observe reads the sessions that are being recorded, and those of tenants with open alerts that have none.
func (e *evaluation) observe(ctx context.Context, now int64) (err error) {
	clear(e.observed)
	none := func(string) (u evaluate.Usual, known bool) { return u, false }
	for _, a := range e.episodes.All() {
		e.observed[a.Tenant] = &observed{usual: none}
	}
	var tenants []string
	if len(e.rules) > 0 {
		if tenants, err = live.Tenants(ctx, e.Reader); err != nil {
			clear(e.observed)
			return err
		}
	}
	e.sessions.Only(tenants)
	var failed []error
	for _, tenant := range tenants {
		sessions, err := e.sessions.Sessions(ctx, tenant, now)
		if err != nil {
			failed = append(failed, e.unread(tenant, err))
			continue
		}
		usual, err := e.usual(ctx, tenant, sessions)
		if err != nil {
			failed = append(failed, e.unread(tenant, err))
			continue
		}
		e.observed[tenant] = &observed{sessions, usual}
	}
	return errors.Join(failed...)
}

// unread leaves out a tenant whose sessions could not be read: its open alerts go on.
func (e *evaluation) unread(tenant string, err error) error {
	delete(e.observed, tenant)
	return fmt.Errorf("tenant %s: %w", tenant, err)
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
		fresh, err := e.sessions.Again(ctx, tenant, ids)
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
