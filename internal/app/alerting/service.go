// Package alerting evaluates the rules of alerts while sessions are recorded. Of all servers on one NATS, one does
// so at a time.
package alerting

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"tapedeck/internal/app/alerting/notify"
	"tapedeck/internal/app/lifecycle/lease"
	"tapedeck/internal/backoff"
	"tapedeck/internal/metric"
	"tapedeck/query"
	"tapedeck/query/alerts/rule"
	"tapedeck/query/report/toolreport"
)

// Options configure a Service. The zero value of a field means its default.
type Options struct {
	Rules  []rule.Rule
	NATS   *nats.Conn
	Reader *query.Reader // its statements must not delay those of readers
	Usuals *toolreport.Usuals
	// Lag returns how old the oldest block is that is not stored: what happened since is not known.
	Lag func(context.Context) (time.Duration, error)
	// Share is the part of the time, 1/Share, that evaluations for all sessions take at most; default 10. They are rarer
	// where one takes longer.
	Share time.Duration
	// Every is the interval between evaluations; default 1 s. Those between two for all sessions are for the sessions
	// in which an alert may begin or end.
	Every time.Duration
	// BudgetsEvery is the interval between readings of what tag values and tenants used; default 30 s.
	BudgetsEvery time.Duration
	// Targets receive the alerts.
	Targets []notify.Target
	Log     *slog.Logger
}

// Service evaluates rules.
type Service struct {
	opts   Options
	holder string
}

// Defaults and bounds of a Service.
const (
	every        = time.Second
	budgetsEvery = 30 * time.Second
	share        = 10
	// leaseEvery is the interval between attempts to evaluate while another server does.
	leaseEvery = 5 * time.Second
)

var (
	begun = metric.CounterVec(metric.API, "tapedeck_alerts_begun_total",
		"Alerts that began while this server evaluated the rules, by rule.", "rule")
	open = metric.GaugeVec(metric.API, "tapedeck_alerts_open",
		"Alerts that are open, by rule. Only the server that evaluates the rules has them.", "rule")
	refused = metric.CounterVec(metric.API, "tapedeck_alerts_refused_total",
		"Alerts that did not begin, since as many alerts of the rule as max_per_hour began for the tenant in an hour, by rule.", "rule")
	rounds = metric.CounterVec(metric.API, "tapedeck_alerts_evaluations_total",
		"Evaluations of the rules by this server, by result: done, failed.", "result")
	lastRound = metric.Gauge(metric.API, "tapedeck_alerts_last_evaluation_timestamp_seconds",
		"When this server last evaluated the rules, in seconds since 1970. Of all servers one does so at a time: take the maximum.")
	duration = metric.Gauge(metric.API, "tapedeck_alerts_evaluation_seconds",
		"How long the last evaluation of the rules for all sessions took.")
	budgetRounds = metric.CounterVec(metric.API, "tapedeck_alerts_budget_evaluations_total",
		"Evaluations of the budgets of tag values and tenants by this server, by result: done, failed.", "result")
	budgetDuration = metric.Gauge(metric.API, "tapedeck_alerts_budget_evaluation_seconds",
		"How long the last evaluation of the budgets of tag values and tenants took.")
)

// New returns a service.
func New(opts Options) *Service {
	if opts.Every == 0 {
		opts.Every = every
	}
	if opts.Share == 0 {
		opts.Share = share
	}
	if opts.BudgetsEvery == 0 {
		opts.BudgetsEvery = budgetsEvery
	}
	if opts.Usuals == nil {
		opts.Usuals = toolreport.NewUsuals()
	}
	if opts.Lag == nil {
		opts.Lag = func(context.Context) (time.Duration, error) { return 0, nil }
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{opts: opts, holder: rand.Text()}
}

// Run evaluates the rules until ctx ends, while no other server does.
func (s *Service) Run(ctx context.Context) {
	for {
		_, err := lease.Hold(ctx, s.opts.NATS, "alerts", s.holder, s.evaluate)
		if err != nil && ctx.Err() == nil && s.opts.NATS.IsConnected() {
			s.opts.Log.Warn("alerts: the evaluation of the rules failed, trying again", "error", err)
		}
		open.Reset()
		if !backoff.Sleep(ctx, leaseEvery) {
			return
		}
	}
}

// evaluate evaluates the rules until ctx ends or an evaluation fails.
func (s *Service) evaluate(ctx context.Context) error {
	e, b, err := begin(ctx, &s.opts)
	if err != nil {
		rounds.WithLabelValues("failed").Inc()
		return err
	}
	defer e.wait()
	sending, end := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer end()
	for _, q := range e.deliveries.queues {
		beside.Go(func() { q.Run(sending) })
	}
	if len(b.rules)+len(b.episodes.All()) > 0 {
		beside.Go(func() { b.run(sending) })
	}
	for {
		began := time.Now()
		whole, took, err := e.round(sending)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			rounds.WithLabelValues("failed").Inc()
			return err
		}
		rounds.WithLabelValues("done").Inc()
		lastRound.SetToCurrentTime()
		if whole {
			duration.Set(took.Seconds())
		}
		// The evaluation bounds how often it reads all sessions, and how many it reads otherwise.
		if !backoff.Sleep(ctx, max(s.opts.Every-time.Since(began), min(took, s.opts.Every))) {
			return nil
		}
	}
}
