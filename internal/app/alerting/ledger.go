package alerting

import (
	"context"
	"errors"
	"slices"
	"time"

	"tapedeck/query/alerts"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/rule"
)

// seenMost bounds how many alerts that are over are remembered. The table has all of them.
const seenMost = 100_000

// ledger stores the begin and the end of the alerts of some rules. It is for one goroutine.
type ledger struct {
	*Options
	rules      []rule.Rule
	episodes   *evaluate.Episodes
	writer     *alerts.Writer
	deliveries *deliveries
	seen       map[string]bool // ids of alerts that are stored
	refused    map[string]bool // ids of alerts beyond the bound of their rule
}

// begin continues with the alerts that are stored as open. Those that began in the past hour count for max_per_hour.
func begin(ctx context.Context, o *Options) (*evaluation, *budgets, error) {
	stored, err := alerts.ReadOpen(ctx, o.Reader)
	if err != nil {
		return nil, nil, err
	}
	now := o.Reader.Now()
	recent, err := alerts.ReadRecent(ctx, o.Reader, time.Unix(0, now).Add(-time.Hour))
	if err != nil {
		return nil, nil, err
	}
	writer, err := alerts.NewWriter(ctx, o.Reader)
	if err != nil {
		return nil, nil, err
	}
	sent, err := newDeliveries(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	of := func(sessions bool) *ledger {
		l := &ledger{Options: o, writer: writer, deliveries: sent, seen: map[string]bool{}, refused: map[string]bool{}}
		l.rules = slices.DeleteFunc(slices.Clone(o.Rules), func(r rule.Rule) bool { return r.OfSessions() != sessions })
		own := slices.DeleteFunc(slices.Clone(stored), func(a *evaluate.Alert) bool { return (a.Per == nil) != sessions })
		l.episodes = evaluate.NewEpisodes(l.rules, own...)
		l.episodes.Count(recent, now)
		return l
	}
	return newEvaluation(of(true)), &budgets{ledger: of(false), foreign: map[string]bool{}}, nil
}

// begin stores an alert that begins.
func (l *ledger) begin(ctx context.Context, a *evaluate.Alert, now int64) error {
	if !l.episodes.Begin(a, now) {
		l.refuse(a)
		return nil
	}
	if err := l.writer.Write(ctx, a); err != nil {
		l.episodes.Drop(a)
		return err
	}
	l.deliveries.add(a)
	begun.WithLabelValues(a.Rule).Inc()
	l.Log.Warn("alerts: an alert began", "tenant", a.Tenant, "session", a.Session, "rule", a.Rule, "alert", a.ID, "detail", a.Detail)
	return nil
}

// refuse counts an alert beyond the bound of its rule once.
func (l *ledger) refuse(a *evaluate.Alert) {
	if l.refused[a.ID] {
		return
	}
	if len(l.refused) > seenMost {
		clear(l.refused)
	}
	l.refused[a.ID] = true
	refused.WithLabelValues(a.Rule).Inc()
}

// finish ends the open alerts whose condition is not among those that hold.
func (l *ledger) finish(ctx context.Context, holds map[string]bool, now int64) error {
	var failed []error
	for _, over := range l.episodes.Finish(holds, now) {
		if err := l.end(ctx, over); err != nil {
			l.episodes.Restore(over)
			failed = append(failed, err)
		}
	}
	for name, n := range l.episodes.Open() {
		open.WithLabelValues(name).Set(float64(n))
	}
	return errors.Join(failed...)
}

// end stores the end of an alert, unless its session was deleted or erased meanwhile.
func (l *ledger) end(ctx context.Context, over *evaluate.Alert) error {
	known, err := alerts.Known(ctx, l.Reader, over.Tenant, []*evaluate.Alert{over})
	if err != nil || !known[over.ID] {
		return err
	}
	if r := l.rule(over.Rule); r != nil && over.Period != nil {
		// The period may have ended while no server evaluated the rules.
		if p, err := evaluate.PeriodAt(r, over.Began); err == nil && p.Name == *over.Period && p.To.Before(*over.Ended) {
			over.Ended = &p.To
		}
	}
	if err := l.writer.Write(ctx, over); err != nil {
		return err
	}
	l.remember(over.ID)
	l.deliveries.add(over)
	l.Log.Info("alerts: an alert ended", "tenant", over.Tenant, "session", over.Session, "rule", over.Rule, "alert", over.ID)
	return nil
}

// rule returns the rule with a name; nil for none.
func (l *ledger) rule(name string) *rule.Rule {
	i := slices.IndexFunc(l.rules, func(r rule.Rule) bool { return r.Name == name })
	if i < 0 {
		return nil
	}
	return &l.rules[i]
}

func (l *ledger) remember(id string) {
	if len(l.seen) > seenMost {
		clear(l.seen)
	}
	l.seen[id] = true
}
