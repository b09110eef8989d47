package alerting

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tapedeck/query/alerts"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/live"
)

// seenMost bounds how many alerts that are over are remembered. The table has all of them.
const seenMost = 100_000

// evaluation is the work under one lease.
type evaluation struct {
	*Options
	sessions   *live.Reader
	episodes   *evaluate.Episodes
	deliveries *deliveries
	seen       map[string]bool // ids of alerts that are stored
	refused    map[string]bool // ids of alerts beyond the bound of their rule
}

// begin continues with the alerts that are stored as open. Those that began in the past hour count for max_per_hour.
func begin(ctx context.Context, o *Options) (*evaluation, error) {
	stored, err := alerts.ReadOpen(ctx, o.Reader)
	if err != nil {
		return nil, err
	}
	now := o.Reader.Now()
	recent, err := alerts.ReadRecent(ctx, o.Reader, time.Unix(0, now).Add(-time.Hour))
	if err != nil {
		return nil, err
	}
	sent, err := newDeliveries(ctx, o)
	if err != nil {
		return nil, err
	}
	episodes := evaluate.NewEpisodes(o.Rules, stored...)
	episodes.Count(recent, now)
	return &evaluation{Options: o, deliveries: sent, sessions: live.NewReader(o.Reader, o.Rules), episodes: episodes,
		seen: map[string]bool{}, refused: map[string]bool{}}, nil
}

// round evaluates the rules once for all sessions that are being recorded.
func (e *evaluation) round(ctx context.Context) error {
	lag, err := e.Lag(ctx)
	if err != nil {
		return fmt.Errorf("read the backlog: %w", err)
	}
	now := e.Reader.Now() - int64(lag)
	tenants, err := live.Tenants(ctx, e.Reader)
	if err != nil {
		return err
	}
	holds := map[string]bool{}
	var failed []error
	for _, tenant := range tenants {
		if err := e.tenant(ctx, tenant, now, holds); err != nil {
			e.episodes.Keep(tenant, holds)
			failed = append(failed, fmt.Errorf("tenant %s: %w", tenant, err))
		}
	}
	for _, over := range e.episodes.Finish(holds, now) {
		if err := e.end(ctx, over); err != nil {
			e.episodes.Restore(over)
			failed = append(failed, err)
		}
	}
	for name, n := range e.episodes.Open() {
		open.WithLabelValues(name).Set(float64(n))
	}
	return errors.Join(failed...)
}

// end stores the end of an alert, unless its session was deleted or erased meanwhile.
func (e *evaluation) end(ctx context.Context, over *evaluate.Alert) error {
	known, err := alerts.Known(ctx, e.Reader, over.Tenant, []*evaluate.Alert{over})
	if err != nil || !known[over.ID] {
		return err
	}
	if err := alerts.Write(ctx, e.Reader, over); err != nil {
		return err
	}
	e.remember(over.ID)
	e.deliveries.add(over)
	e.Log.Info("alerts: an alert ended", "tenant", over.Tenant, "session", over.Session, "rule", over.Rule, "alert", over.ID)
	return nil
}

// tenant evaluates the rules for the sessions of a tenant, and adds the conditions that hold.
func (e *evaluation) tenant(ctx context.Context, tenant string, now int64, holds map[string]bool) error {
	sessions, err := e.sessions.Sessions(ctx, tenant)
	if err != nil {
		return err
	}
	usual, err := e.usual(ctx, tenant, sessions)
	if err != nil {
		return err
	}
	var fresh []*evaluate.Alert
	for _, s := range sessions {
		for _, f := range evaluate.Findings(e.Rules, s, usual, now) {
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

// begin stores an alert that begins.
func (e *evaluation) begin(ctx context.Context, a *evaluate.Alert, now int64) error {
	if !e.episodes.Begin(a, now) {
		if !e.refused[a.ID] {
			if len(e.refused) > seenMost {
				clear(e.refused)
			}
			e.refused[a.ID] = true
			refused.WithLabelValues(a.Rule).Inc()
		}
		return nil
	}
	if err := alerts.Write(ctx, e.Reader, a); err != nil {
		e.episodes.Drop(a)
		return err
	}
	e.deliveries.add(a)
	begun.WithLabelValues(a.Rule).Inc()
	e.Log.Warn("alerts: an alert began", "tenant", a.Tenant, "session", a.Session, "rule", a.Rule, "alert", a.ID, "detail", a.Detail)
	return nil
}

func (e *evaluation) remember(id string) {
	if len(e.seen) > seenMost {
		clear(e.seen)
	}
	e.seen[id] = true
}

// usual reads how long the earlier calls of the tools took that have an open call.
func (e *evaluation) usual(ctx context.Context, tenant string, sessions []*evaluate.Session) (func(string) (evaluate.Usual, bool), error) {
	tools := map[string]bool{}
	for i := range e.Rules {
		if r := &e.Rules[i]; r.Factor > 0 && r.Applies(tenant) {
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
