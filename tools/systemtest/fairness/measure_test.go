package fairness

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"tapedeck/internal/bounded"
)

const (
	settle   = 2 * time.Second
	measured = 6 * time.Second
)

// times are those of frames of small streams, sorted: from sending until JetStream has a frame,
// until a follower has it, and until it is stored.
type times struct{ placed, live, stored []time.Duration }

// at returns a percentile.
func at(sorted []time.Duration, percent int) time.Duration { return sorted[len(sorted)*percent/100] }

// measure records small streams and others beside them for a while, and returns the times of the
// small ones.
func (s *server) measure(name string, beside ...func(context.Context) error) (r times) {
	s.t.Helper()
	bounded.Until(s.t, "what was recorded before is stored", s.idle)
	small, others := newGroup(s.t), newGroup(s.t)
	defer small.cancel()
	defer others.cancel()
	var sessions []string
	for i := range probes {
		sessions = append(sessions, fmt.Sprintf("%s-%d", strings.ReplaceAll(name, " ", "-"), i))
	}
	w := s.newWatch(ownTenant, sessions)
	defer w.stop()
	var mu sync.Mutex
	live := map[time.Time]time.Duration{} // by the time of sending
	for _, session := range sessions {
		small.run(session, func(ctx context.Context) error { return s.sendSmall(ctx, ownTenant, session) })
		small.run("follower of "+session, func(ctx context.Context) error {
			return s.follow(ctx, ownTenant, session, func(sent time.Time) {
				mu.Lock()
				defer mu.Unlock()
				live[sent] = time.Since(sent)
			})
		})
	}
	for i, record := range beside {
		others.run(fmt.Sprintf("%s: stream %d beside", name, i), record)
	}
	pause(s.t.Context(), settle)
	from := time.Now()
	pause(s.t.Context(), measured)
	to := time.Now()
	followed := func() bool {
		mu.Lock()
		defer mu.Unlock()
		for sent := range w.sent(from, to) {
			if _, is := live[sent]; !is {
				return false
			}
		}
		return true
	}
	bounded.Until(s.t, name+": the frames of small streams are stored and followed", func() bool { return w.stored(to) && followed() })
	others.stop()
	small.stop()
	for sent, p := range w.sent(from, to) {
		r.placed, r.stored = append(r.placed, p.placed.Sub(sent)), append(r.stored, p.acked.Sub(sent))
		r.live = append(r.live, live[sent])
	}
	for _, d := range [][]time.Duration{r.placed, r.live, r.stored} {
		slices.Sort(d)
	}
	if n := len(r.stored); n < probes*int(measured/frameEvery)/2 {
		s.t.Fatalf("%s: only %d frames were measured", name, n)
	}
	s.t.Logf("%-46s %3d frames; p50 and p99: in JetStream %v %v, followed %v %v, stored %v %v", name, len(r.stored),
		ms(at(r.placed, 50)), ms(at(r.placed, 99)), ms(at(r.live, 50)), ms(at(r.live, 99)), ms(at(r.stored, 50)), ms(at(r.stored, 99)))
	return r
}

func ms(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
