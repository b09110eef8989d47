// Package retention removes recordings and bills according to the policies of their tenants. Of all
// servers on one NATS, one does so at a time, in steps of a bounded number of sessions.
package retention

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/nats-io/nats.go"

	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/app/lifecycle/lease"
	"tapedeck/internal/failpoint"
	"tapedeck/internal/metric"
	"tapedeck/schema/lifecycle/retention"
	"tapedeck/schema/lifecycle/tombstone"
	"tapedeck/schema/tables"
)

// Options configure a Service. The zero value of a field means its default.
type Options struct {
	NATS  *nats.Conn
	DB    driver.Conn
	Audit *audit.Log // records what expires; nil for no records
	// Announce announces the sessions of which data expired, for the caches of all servers; nil for
	// none.
	Announce func(context.Context, ...tombstone.Key) error
	// Every is the interval between checks for expired data; default 5 min.
	Every time.Duration
	// Step is how many sessions expire at a time; default 500.
	Step int
	// Now is the clock; default time.Now.
	Now func() time.Time
	Log *slog.Logger
}

// Service removes expired data. It is safe for use by many goroutines.
type Service struct {
	opts   Options
	store  *retention.Store
	holder string
}

var (
	expired = metric.CounterVec(metric.API, "tapedeck_expired_sessions_total",
		"Sessions of which one kind of data expired, by kind and why; bills for the kind bills.", "kind", "why")
	rounds = metric.CounterVec(metric.API, "tapedeck_retention_rounds_total",
		"Rounds in which this server looked for data that has expired, by result: done, failed.", "result")
	lastRound = metric.Gauge(metric.API, "tapedeck_retention_last_success_timestamp_seconds",
		"When this server last completed a round, in seconds since 1970. Of all servers one does so at a time: take the maximum.")
	expiredBytes = metric.CounterVec(metric.API, "tapedeck_expired_bytes_total",
		"Bytes as recorded of what expired, by kind.", "kind")
)

// New returns a service.
func New(opts Options) *Service {
	if opts.Every == 0 {
		opts.Every = 5 * time.Minute
	}
	if opts.Step == 0 {
		opts.Step = 500
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{opts: opts, store: retention.NewStore(opts.DB), holder: rand.Text()}
}

// Store returns the store of policies.
func (s *Service) Store() *retention.Store { return s.store }

// Run removes expired data until ctx ends.
func (s *Service) Run(ctx context.Context) {
	tick := time.NewTicker(s.opts.Every)
	defer tick.Stop()
	for {
		if _, err := lease.Hold(ctx, s.opts.NATS, "retention", s.holder, s.Round); err != nil && ctx.Err() == nil && s.opts.NATS.IsConnected() {
			s.opts.Log.Warn("retention: a round failed, trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Round removes expired data, and data that an interrupted round has marked.
func (s *Service) Round(ctx context.Context) (err error) {
	defer func() {
		switch {
		case err == nil:
			rounds.WithLabelValues("done").Inc()
			lastRound.SetToCurrentTime()
		case ctx.Err() == nil:
			rounds.WithLabelValues("failed").Inc()
		}
	}()
	for {
		list, err := s.store.Unfinished(ctx, s.opts.Step)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			break
		}
		n := 1 // for one tenant and kind
		for n < len(list) && list[n].Tenant == list[0].Tenant && list[n].Kind == list[0].Kind {
			n++
		}
		if err := s.remove(ctx, list[:n]); err != nil {
			return err
		}
	}
	policies, err := s.store.Policies(ctx, retention.AllTenants)
	if err != nil {
		return err
	}
	for i := range policies {
		if err := s.apply(ctx, &policies[i]); err != nil {
			return err
		}
	}
	return nil
}

// apply removes expired data by one policy, one step after another.
func (s *Service) apply(ctx context.Context, p *retention.Policy) error {
	if p.Kind == tables.Bills {
		return s.bills(ctx, p)
	}
	for ctx.Err() == nil {
		now := s.opts.Now()
		due, err := s.store.Due(ctx, p, now, s.opts.Step)
		if err != nil || len(due) == 0 {
			return err
		}
		if err := s.audited(ctx, p, len(due)); err != nil {
			return err
		}
		marks, err := s.store.Mark(ctx, p, due, now)
		if err == nil {
			err = s.announce(ctx, marks)
		}
		if err == nil {
			err = failpoint.Reach(ctx, "retention: marked")
		}
		if err != nil {
			return err
		}
		if err := s.remove(ctx, marks); err != nil {
			return err
		}
		var bytes uint64
		for _, d := range due {
			expired.WithLabelValues(p.Kind, d.Why).Inc()
			bytes += d.Bytes
		}
		expiredBytes.WithLabelValues(p.Kind).Add(float64(bytes))
		s.opts.Log.Info("retention: expired sessions", "tenant", p.Tenant, "kind", p.Kind, "sessions", len(due), "bytes", bytes)
		if err := failpoint.Reach(ctx, "retention: removed"); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// remove deletes the data of expirations, and announces that it is deleted: a reader may have read
// it since it was marked.
func (s *Service) remove(ctx context.Context, list []retention.Expiration) error {
	if err := s.store.Remove(ctx, list); err != nil {
		return err
	}
	return s.announce(ctx, list)
}

// announce announces the sessions of expirations.
func (s *Service) announce(ctx context.Context, list []retention.Expiration) error {
	if s.opts.Announce == nil {
		return nil
	}
	keys := make([]tombstone.Key, len(list))
	for i := range list {
		keys[i] = tombstone.Key{Tenant: list[i].Tenant, Session: list[i].Session}
	}
	return s.opts.Announce(ctx, keys...)
}

// bills removes expired bills.
func (s *Service) bills(ctx context.Context, p *retention.Policy) error {
	due, err := s.store.Bills(ctx, p, s.opts.Now(), s.opts.Step)
	if err != nil || len(due) == 0 {
		return err
	}
	if err := s.audited(ctx, p, len(due)); err != nil {
		return err
	}
	if err := s.store.RemoveBills(ctx, p.Tenant, due); err != nil {
		return err
	}
	expired.WithLabelValues(p.Kind, string(retention.ByAge)).Add(float64(len(due)))
	s.opts.Log.Info("retention: expired bills", "tenant", p.Tenant, "kind", p.Kind, "bills", len(due))
	return nil
}

// audited records in the audit log that data expires.
func (s *Service) audited(ctx context.Context, p *retention.Policy, n int) error {
	e := audit.Of(p.Tenant, audit.ServerItself, audit.Expire, p.Kind, audit.Done)
	e.Detail = fmt.Sprintf("%d", n)
	return s.opts.Audit.Record(ctx, e)
}
