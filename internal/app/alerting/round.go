package alerting

import (
	"context"
	"errors"
	"fmt"

	"tapedeck/query/alerts"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/live"
)

// evaluation evaluates the rules of sessions under one lease.
type evaluation struct {
	*ledger
	sessions *live.Reader
}

// round evaluates the rules once for all sessions that are being recorded.
func (e *evaluation) round(ctx context.Context) error {
	lag, err := e.Lag(ctx)
	if err != nil {
		return fmt.Errorf("read the backlog: %w", err)
	}
	now := e.Reader.Now() - int64(lag)
	var tenants []string
	if len(e.rules) > 0 {
		if tenants, err = live.Tenants(ctx, e.Reader); err != nil {
			return err
		}
	}
	holds := map[string]bool{}
	var failed []error
	for _, tenant := range tenants {
		if err := e.tenant(ctx, tenant, now, holds); err != nil {
			e.episodes.Keep(tenant, holds)
			failed = append(failed, fmt.Errorf("tenant %s: %w", tenant, err))
		}
	}
	failed = append(failed, e.finish(ctx, holds, now))
	return errors.Join(failed...)
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
		for _, f := range evaluate.Findings(e.rules, s, usual, now) {
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
