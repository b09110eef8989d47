package webhook

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"tapedeck/internal/backoff"
	"tapedeck/internal/metric"
)

// Bounds of a Queue.
const (
	// most is how many events wait for one target at most. Further events are dropped and counted.
	most = 10_000
	// parallel is how many events are sent at a time.
	parallel = 8
	// keep is how long an event is sent again.
	keep = 6 * time.Hour
	// Pauses after a failure.
	leastPause, mostPause = time.Second, time.Minute
)

var (
	sent = metric.CounterVec(metric.API, "tapedeck_alerts_webhook_sent_total",
		"Events of alerts that a webhook has taken, by target.", "target")
	failures = metric.CounterVec(metric.API, "tapedeck_alerts_webhook_failures_total",
		"Attempts to send an event of an alert that failed, by target.", "target")
	dropped = metric.CounterVec(metric.API, "tapedeck_alerts_webhook_dropped_total",
		"Events of alerts that a webhook did not take in time, or for which too many waited, by target.", "target")
)

// Queue sends events to one target.
type Queue struct {
	target *Target
	events chan waiting
	// wanted reports whether an event is to be sent again: its alert may be erased meanwhile.
	wanted func(context.Context, Event) (bool, error)
	taken  func(context.Context, Event) // may be nil
	log    *slog.Logger
}

type waiting struct {
	Event
	since time.Time
}

// NewQueue returns an empty queue. wanted is asked before an event is sent again. taken is called after the target has
// taken an event.
func NewQueue(t *Target, wanted func(context.Context, Event) (bool, error), taken func(context.Context, Event), log *slog.Logger) *Queue {
	return &Queue{target: t, events: make(chan waiting, most), wanted: wanted, taken: taken, log: log}
}

// Add adds an event. It does not wait.
func (q *Queue) Add(e Event) {
	select {
	case q.events <- waiting{e, time.Now()}:
	default:
		dropped.WithLabelValues(q.target.Name).Inc()
		q.log.Error("alerts: too many events wait for a webhook, one was dropped", "target", q.target.Name, "event", e.ID)
	}
}

// Run sends the events until ctx ends, a few at a time, so that an event that the receiver does not take delays no
// others.
func (q *Queue) Run(ctx context.Context) {
	defer q.target.Close()
	var workers sync.WaitGroup
	for range parallel {
		workers.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case e := <-q.events:
					q.deliver(ctx, e)
				}
			}
		})
	}
	workers.Wait()
}

// deliver sends an event until it is taken, too old, or not wanted any more.
func (q *Queue) deliver(ctx context.Context, e waiting) {
	pause := backoff.Backoff{Min: leastPause, Max: mostPause}
	for again := false; ctx.Err() == nil; again = true {
		if again {
			if ok, err := q.wanted(ctx, e.Event); err == nil && !ok {
				return
			}
		}
		err := q.target.Send(ctx, e.Event)
		if err == nil {
			sent.WithLabelValues(q.target.Name).Inc()
			if q.taken != nil {
				q.taken(ctx, e.Event)
			}
			return
		}
		if ctx.Err() != nil {
			return
		}
		failures.WithLabelValues(q.target.Name).Inc()
		if !again {
			q.log.Warn("alerts: a webhook did not take an event, trying again", "target", q.target.Name, "event", e.ID, "error", err)
		}
		if time.Since(e.since) > keep {
			dropped.WithLabelValues(q.target.Name).Inc()
			q.log.Error("alerts: a webhook did not take an event in time, it was dropped", "target", q.target.Name, "event", e.ID, "error", err)
			return
		}
		backoff.Sleep(ctx, pause.Next())
	}
}
