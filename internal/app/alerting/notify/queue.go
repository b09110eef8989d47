package notify

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"tapedeck/internal/backoff"
	"tapedeck/internal/metric"
)

// Bounds of a Queue.
const (
	// most is how many events one target has at most, those that are sent again among them. Further events are dropped
	// and counted.
	most = 10_000
	// parallel is how many events are sent at a time.
	parallel = 8
	// keep is how long an event is sent again.
	keep = 6 * time.Hour
	// Pauses after a failure.
	leastPause, mostPause = time.Second, time.Minute
)

var (
	sent = metric.CounterVec(metric.API, "tapedeck_alerts_sent_total",
		"Events of alerts that a target has taken, by target.", "target")
	failures = metric.CounterVec(metric.API, "tapedeck_alerts_send_failures_total",
		"Attempts to send an event of an alert that failed, by target.", "target")
	dropped = metric.CounterVec(metric.API, "tapedeck_alerts_dropped_total",
		"Events of alerts that a target did not take in time, or for which too many waited, by target.", "target")
)

// Queue sends events to one target.
type Queue struct {
	target Target
	// fresh are events that were not sent yet, failed those that are due to be sent again. Both have room for most, so
	// that an event that is held can always be put into either.
	fresh, failed chan waiting
	held          atomic.Int64 // events that are not taken, dropped or forgotten; at most most
	// wanted reports whether an event is to be sent again: its alert may be erased meanwhile.
	wanted func(context.Context, Event) (bool, error)
	taken  func(context.Context, Event) // may be nil
	log    *slog.Logger
}

type waiting struct {
	Event
	since time.Time
	again bool // it was sent before
	pause backoff.Backoff
}

// NewQueue returns an empty queue. wanted is asked before an event is sent again. taken is called after the target has
// taken an event.
func NewQueue(t Target, wanted func(context.Context, Event) (bool, error), taken func(context.Context, Event), log *slog.Logger) *Queue {
	return &Queue{target: t, fresh: make(chan waiting, most), failed: make(chan waiting, most), wanted: wanted, taken: taken, log: log}
}

// Add adds an event. It does not wait.
func (q *Queue) Add(e Event) {
	if q.held.Add(1) > most {
		q.held.Add(-1)
		dropped.WithLabelValues(q.target.Name()).Inc()
		q.log.Error("alerts: too many events wait for a target, one was dropped", "target", q.target.Name(), "event", e.ID)
		return
	}
	q.fresh <- waiting{Event: e, since: time.Now(), pause: backoff.Backoff{Min: leastPause, Max: mostPause}}
}

// Run sends the events until ctx ends, a few at a time. An event that the receiver does not take is put back for a
// pause, and new events are sent before it: it delays others by no more than the request under way.
func (q *Queue) Run(ctx context.Context) {
	defer q.target.Close()
	var workers sync.WaitGroup
	for range parallel {
		workers.Go(func() {
			for {
				e, ok := q.next(ctx)
				if !ok {
					return
				}
				if q.deliver(ctx, &e) {
					q.held.Add(-1)
					continue
				}
				e.again = true
				time.AfterFunc(e.pause.Next(), func() { q.failed <- e })
			}
		})
	}
	workers.Wait()
}

// next waits for the next event. It returns false if ctx has ended.
func (q *Queue) next(ctx context.Context) (e waiting, ok bool) {
	if ctx.Err() != nil {
		return e, false
	}
	select {
	case e = <-q.fresh:
		return e, true
	default:
	}
	select {
	case <-ctx.Done():
		return e, false
	case e = <-q.fresh:
	case e = <-q.failed:
	}
	return e, true
}

// deliver sends an event once. It returns true if it is not to be sent again: it is taken, too old or not wanted any
// more, or ctx has ended.
func (q *Queue) deliver(ctx context.Context, e *waiting) bool {
	if e.again {
		if ok, err := q.wanted(ctx, e.Event); err == nil && !ok {
			return true
		}
	}
	err := q.target.Send(ctx, e.Event)
	if err == nil {
		sent.WithLabelValues(q.target.Name()).Inc()
		if q.taken != nil {
			q.taken(ctx, e.Event)
		}
		return true
	}
	if ctx.Err() != nil {
		return true
	}
	failures.WithLabelValues(q.target.Name()).Inc()
	if !e.again {
		q.log.Warn("alerts: a target did not take an event, trying again", "target", q.target.Name(), "event", e.ID, "error", err)
	}
	if time.Since(e.since) > keep {
		dropped.WithLabelValues(q.target.Name()).Inc()
		q.log.Error("alerts: a target did not take an event in time, it was dropped", "target", q.target.Name(), "event", e.ID, "error", err)
		return true
	}
	return false
}
