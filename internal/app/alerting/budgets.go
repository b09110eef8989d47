package alerting

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tapedeck/internal/backoff"
	"tapedeck/query/alerts"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/rule"
	"tapedeck/query/alerts/spent"
)

const (
	// settles is how long after its end a period is still evaluated, so that its last usage counts.
	settles = time.Minute
	// overMost bounds the alerts of one tenant and one reading that are looked at.
	overMost = 10_000
)

// budgets evaluates the budgets of tag values and tenants under one lease.
type budgets struct {
	*ledger
	foreign map[string]bool // rules whose currency is not that of the costs, as they were logged
}

// scope is what several rules share: one reading of usage answers all of them.
type scope struct {
	tag    string // "" for a budget of the tenant
	period evaluate.Period
	rules  []*rule.Rule
}

// run evaluates the budgets until ctx ends. A reading that fails is repeated with the next evaluation.
func (b *budgets) run(ctx context.Context) {
	for {
		began := time.Now()
		err := b.round(ctx)
		if ctx.Err() != nil {
			return
		}
		took := time.Since(began)
		if err != nil {
			budgetRounds.WithLabelValues("failed").Inc()
			b.Log.Warn("alerts: budgets could not be evaluated, trying again", "error", err)
		} else {
			budgetRounds.WithLabelValues("done").Inc()
		}
		budgetDuration.Set(took.Seconds())
		if !backoff.Sleep(ctx, max(b.BudgetsEvery-took, (b.Share-1)*took)) {
			return
		}
	}
}

// round evaluates the budgets once. Readings that fail delay the alerts of their tenants and of no others.
func (b *budgets) round(ctx context.Context) error {
	lag, err := b.Lag(ctx)
	if err != nil {
		return fmt.Errorf("read the backlog: %w", err)
	}
	now := time.Unix(0, b.Reader.Now()-int64(lag)).UTC()
	scopes, err := b.scopes(now.Add(-settles))
	if err != nil {
		return err
	}
	if err := b.forget(ctx); err != nil {
		return err
	}
	tenants, err := b.spending(ctx, scopes)
	if err != nil {
		return err
	}
	var failed []error
	for _, tenant := range tenants {
		for _, s := range scopes {
			if err := b.evaluate(ctx, tenant, s, now); err != nil {
				failed = append(failed, fmt.Errorf("tenant %s: %w", tenant, err))
			}
		}
	}
	return errors.Join(append(failed, b.finish(ctx, b.current(scopes), now.UnixNano()))...)
}

// scopes returns what the rules are about at a time.
func (b *budgets) scopes(at time.Time) (list []*scope, err error) {
	for i := range b.rules {
		r := &b.rules[i]
		p, err := evaluate.PeriodAt(r, at)
		if err != nil {
			return nil, err
		}
		k := slices.IndexFunc(list, func(s *scope) bool {
			return s.tag == r.Tag() && s.period.From.Equal(p.From) && s.period.To.Equal(p.To)
		})
		if k < 0 {
			k = len(list)
			list = append(list, &scope{tag: r.Tag(), period: p})
		}
		list[k].rules = append(list[k].rules, r)
	}
	return list, nil
}

// current returns the conditions of the open alerts whose period has not ended. An alert that began goes on until then,
// also if the use is less meanwhile.
func (b *budgets) current(scopes []*scope) map[string]bool {
	holds := map[string]bool{}
	for _, a := range b.episodes.All() {
		for _, s := range scopes {
			for _, r := range s.rules {
				if r.Name == a.Rule && r.Applies(a.Tenant) && evaluate.BudgetKey(r, s.period, a.Tenant, *a.Value) == a.Key {
					holds[a.Key] = true
				}
			}
		}
	}
	return holds
}

// forget drops the open alerts whose session was deleted: they begin again, with another session and the same id, if
// the budget is exceeded without it.
func (b *budgets) forget(ctx context.Context) error {
	of := map[string][]*evaluate.Alert{}
	for _, a := range b.episodes.All() {
		of[a.Tenant] = append(of[a.Tenant], a)
	}
	for tenant, list := range of {
		known, err := alerts.Known(ctx, b.Reader, tenant, list)
		if err != nil {
			return err
		}
		for _, a := range list {
			if !known[a.ID] {
				b.episodes.Drop(a)
			}
		}
	}
	return nil
}

// spending returns the tenants with usage in the periods, as far as a rule is about them.
func (b *budgets) spending(ctx context.Context, scopes []*scope) ([]string, error) {
	if len(scopes) == 0 {
		return nil, nil
	}
	since := scopes[0].period.From
	for _, s := range scopes {
		if s.period.From.Before(since) {
			since = s.period.From
		}
	}
	return spent.Tenants(ctx, b.Reader, since)
}

// evaluate begins the alerts of the budgets of a scope that a tenant exceeds.
func (b *budgets) evaluate(ctx context.Context, tenant string, s *scope, now time.Time) error {
	of := slices.DeleteFunc(slices.Clone(s.rules), func(r *rule.Rule) bool { return !r.Applies(tenant) })
	if len(of) == 0 {
		return nil
	}
	var over []*evaluate.Alert
	err := spent.Each(ctx, b.Reader, tenant, s.tag, s.period, func(u *evaluate.Use) {
		for _, r := range of {
			b.compare(r, u)
			a := evaluate.OverBudget(r, s.period, u, now)
			if a != nil && len(over) < overMost && !b.episodes.Has(a) && !b.seen[a.ID] {
				over = append(over, a)
			}
		}
	})
	if err != nil {
		return err
	}
	for _, a := range over {
		if err := b.beginOf(ctx, a, now.UnixNano()); err != nil {
			return err
		}
	}
	return nil
}

// beginOf begins an alert with the latest of the sessions that it is about.
func (b *budgets) beginOf(ctx context.Context, a *evaluate.Alert, now int64) (err error) {
	if !b.episodes.Room(a, now) {
		b.refuse(a)
		return nil
	}
	a.Session, a.Stream, err = spent.LastSession(ctx, b.Reader, b.rule(a.Rule), a)
	if err != nil || a.Session == "" { // deleted since the usage was read
		return err
	}
	return b.begin(ctx, a, now)
}

// compare logs once that the costs are in another currency than the budget of a rule, which they cannot exceed.
func (b *budgets) compare(r *rule.Rule, u *evaluate.Use) {
	if u.Cost == nil || r.Currency == "" || u.Cost.Currency == r.Currency || b.foreign[r.Name] {
		return
	}
	b.foreign[r.Name] = true
	b.Log.Error("alerts: a budget is in another currency than the costs, no cost exceeds it", "rule", r.Name, "tenant", u.Tenant,
		"currency", r.Currency, "costs", u.Cost.Currency)
}
