package notify

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/internal/metric/metrictest"
	"tapedeck/query/alerts/evaluate"
)

// receiver is a target that answers with a status, without a network, so that the clock can be virtual.
type receiver func(id string) (status int)

func (f receiver) Name() string { return "test" }
func (f receiver) ID() string   { return "test" }
func (f receiver) Close()       {}

func (f receiver) Send(_ context.Context, e Event) error {
	if status := f(e.ID); status != http.StatusOK {
		return fmt.Errorf("it answered %d", status)
	}
	return nil
}

// runQueue runs a queue for a receiver until stop is called.
func runQueue(t *testing.T, f receiver, wanted func() bool, taken func(Event)) (q *Queue, stop func()) {
	t.Helper()
	q = NewQueue(f, func(context.Context, Event) (bool, error) { return wanted(), nil }, func(_ context.Context, e Event) { taken(e) },
		slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); q.Run(ctx) }()
	return q, func() { cancel(); <-done }
}

func numbered(prefix string, i int) Event {
	return EventOf(&evaluate.Alert{ID: fmt.Sprint(prefix, i), Rule: "hangs", Tenant: "acme", Session: "s"})
}

func yes() bool { return true }

// Events that the receiver refuses again and again delay no others.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		took := make(chan time.Time, 1)
		q, stop := runQueue(t, func(id string) int {
			if strings.HasPrefix(id, "bad") {
				return http.StatusBadRequest
			}
			return http.StatusOK
		}, yes, func(Event) { took <- time.Now() })
		defer stop()
		for i := range parallel {
			q.Add(numbered("bad", i))
		}
		time.Sleep(time.Hour) // on the virtual clock: by now the pauses are the longest
		added := time.Now()
		q.Add(numbered("good", 0))
		if d := (<-took).Sub(added); d != 0 {
			t.Errorf("it was taken after %v", d)
		}
	})
}

// While requests hang until their timeout, a new event waits for one of them, and not for those that are to be sent again.
func TestHanging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const timeout = 10 * time.Second
		took := make(chan time.Time, 1)
		q, stop := runQueue(t, func(id string) int {
			if strings.HasPrefix(id, "bad") {
				time.Sleep(timeout) // on the virtual clock: the receiver hangs until the time limit
				return http.StatusGatewayTimeout
			}
			return http.StatusOK
		}, yes, func(Event) { took <- time.Now() })
		defer stop()
		for i := range 100 * parallel {
			q.Add(numbered("bad", i))
		}
		time.Sleep(time.Hour) // on the virtual clock: all were sent, and are due again
		added := time.Now()
		q.Add(numbered("good", 0))
		if d := (<-took).Sub(added); d > timeout {
			t.Errorf("it was taken after %v", d)
		}
	})
}

// An event is sent for six hours, and then dropped: with pauses of a minute at most, which vary by a fifth.
func TestKept(t *testing.T) {
	metrictest.Grow(t, "tapedeck_alerts_dropped_total", "tapedeck_alerts_send_failures_total")
	synctest.Test(t, func(t *testing.T) {
		var last time.Time
		requests := 0
		q, stop := runQueue(t, func(string) int {
			requests++
			last = time.Now()
			return http.StatusServiceUnavailable
		}, yes, func(Event) { t.Error("it was taken") })
		added := time.Now()
		q.Add(numbered("bad", 0))
		time.Sleep(7 * time.Hour) // on the virtual clock: longer than an event is kept
		stop()
		if d := last.Sub(added); d < keep || d > keep+mostPause {
			t.Errorf("it was sent for %v", d)
		}
		if requests < 360 || requests > 460 {
			t.Errorf("it was sent %d times", requests)
		}
		if n := q.held.Load(); n != 0 {
			t.Errorf("%d events are held", n)
		}
	})
}

// An event is not sent again when its alert is gone.
func TestGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		q, stop := runQueue(t, func(string) int { requests++; return http.StatusBadGateway }, func() bool { return false },
			func(Event) { t.Error("it was taken") })
		q.Add(numbered("bad", 0))
		time.Sleep(time.Hour) // on the virtual clock: longer than any pause
		stop()
		if requests != 1 || q.held.Load() != 0 {
			t.Errorf("it was sent %d times, %d events are held", requests, q.held.Load())
		}
	})
}

// A queue has a bounded number of events, those that wait for another attempt among them.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, stop := runQueue(t, func(string) int { return http.StatusBadGateway }, yes, func(Event) { t.Error("it was taken") })
		for i := range most {
			q.Add(numbered("bad", i))
		}
		synctest.Wait() // each was refused once
		q.Add(numbered("more", 0))
		if n := q.held.Load(); n != most {
			t.Errorf("%d events are held", n)
		}
		stop()
	})
}
