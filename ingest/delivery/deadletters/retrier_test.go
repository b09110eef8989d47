package deadletters_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"tapedeck/ingest/delivery/deadletters"
	"tapedeck/internal/bounded"
	"tapedeck/internal/metric/metrictest"
)

// tries notes what retriers try.
type tries struct {
	answer error

	mu   sync.Mutex // guards what follows
	list []string
	busy int
	most int // at a time
}

func (t *tries) try(_ context.Context, subject string, _ []byte) error {
	t.mu.Lock()
	t.list = append(t.list, subject)
	t.busy++
	t.most = max(t.most, t.busy)
	t.mu.Unlock()
	time.Sleep(10 * time.Millisecond) // so that tries at the same time overlap
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy--
	return t.answer
}

func (t *tries) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.list)
}

// retry runs a retrier until the end of the test, or until stop.
func retry(t *testing.T, s *deadletters.Store, version string, every time.Duration, tried *tries) (stop func()) {
	r := &deadletters.Retrier{
		Letters: s, Version: version, Try: tried.try, Log: slog.New(slog.DiscardHandler),
		Every: every, Wait: time.Hour,
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); r.Run(ctx) }()
	stop = func() { cancel(); bounded.Receive(t, done) }
	t.Cleanup(stop)
	return stop
}

// A new version of the program retries every letter once, however many processes of it
// there are; what it stores is gone from the list.
func TestRetriedAfterUpgrade(t *testing.T) {
	metrictest.Grow(t, "tapedeck_dead_letters_recovered_total")
	s, _ := shelf(t)
	tried := &tries{answer: fmt.Errorf("%w: as before", deadletters.ErrRefused)}
	const every = 2 * time.Second // a round has half of it: time for three tries on a busy machine
	stop1, stop2 := retry(t, s, "v1", every, tried), retry(t, s, "v1", every, tried)
	bounded.Until(t, "each letter was tried", func() bool { return tried.count() >= 3 })
	metrictest.Show(t, "tapedeck_dead_letters", "tapedeck_dead_letter_bytes")
	time.Sleep(2 * every) // further rounds, in which nothing is tried: no condition shows that
	stop1()
	stop2()
	if n := tried.count(); n != 3 || tried.most != 1 {
		t.Errorf("%d tries, up to %d at a time; want each of 3 letters once, one at a time", n, tried.most)
	}
	letters, err := s.List(t.Context(), 0, 10)
	if err != nil || len(letters) != 3 {
		t.Fatalf("%+v, %v", letters, err)
	}
	for _, l := range letters {
		if l.Tries != 1 || l.TriedAt == nil || !l.At.Before(*l.TriedAt) || l.Reason == "still refused: as before" {
			t.Errorf("a letter that was refused again: %+v", l)
		}
	}

	tried = &tries{}
	retry(t, s, "v2", every, tried)
	bounded.Until(t, "the letters are gone", func() bool {
		n, _, err := s.Count(t.Context())
		return err == nil && n == 0
	})
	if n := tried.count(); n != 3 {
		t.Errorf("the new version tried %d times", n)
	}
}

// Where no block can be stored, letters stay as they are and no try counts.
func TestRetriedLater(t *testing.T) {
	s, _ := shelf(t)
	tried := &tries{answer: errors.New("ClickHouse is away")}
	stop := retry(t, s, "v1", 200*time.Millisecond, tried)
	bounded.Until(t, "letters were tried", func() bool { return tried.count() >= 4 })
	stop()
	letters, err := s.List(t.Context(), 0, 10)
	if err != nil || len(letters) != 3 || letters[0].Seq != 1 || letters[0].Tries != 0 {
		t.Errorf("%+v, %v", letters, err)
	}
}

// Letters are retried on a schedule.
func TestRetriedOnSchedule(t *testing.T) {
	s, _ := shelf(t)
	tried := &tries{answer: deadletters.ErrRefused}
	r := &deadletters.Retrier{
		Letters: s, Version: "v1", Try: tried.try, Log: slog.New(slog.DiscardHandler),
		Every: 150 * time.Millisecond, Wait: 200 * time.Millisecond, Longest: time.Second,
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); r.Run(ctx) }()
	bounded.Until(t, "the letters were tried three times", func() bool {
		letters, err := s.List(t.Context(), 0, 10)
		return err == nil && len(letters) == 3 && letters[0].Tries >= 3
	})
	cancel()
	bounded.Receive(t, done)
	if letters, err := s.List(t.Context(), 0, 10); err != nil || letters[0].Reason != "no block" && letters[0].Reason != "refused" {
		t.Errorf("the first reason is gone: %+v, %v", letters, err)
	}
}
