package failure

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// Two servers of each role are restarted one after the other while recorders send without a
// pause: all frames are there once, in their order, and so is the usage that they state. The
// recorders notice no more than a cut connection.
func TestRollingRestarts(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	c := commandtest.NewCluster(t, local.Options{})
	fleet := map[string][]*restarted{}
	order := []string{"sink", "api", "ingest"}
	for _, role := range order {
		for range 2 {
			fleet[role] = append(fleet[role], restartableOf(t, c, role, "--drain-delay", "200ms"))
		}
	}
	in := newRelay(t, spread(fleet["ingest"]...), nil)
	out := newRelay(t, spread(fleet["api"]...), nil)

	l := &rollingLoad{}
	for i := range 3 {
		l.add(newSource(fmt.Sprintf("socket-%d", i)), func(s *source) error { return s.socket(t.Context(), in.url()) })
	}
	state := t.TempDir()
	l.add(newSource("long-command"), func(s *source) error {
		return s.command(t, in.url(), filepath.Join(state, "long", "data"), 1<<40)
	})
	l.mu.Lock()
	long := l.sources
	l.mu.Unlock()
	stop := make(chan struct{})
	l.running.Go(func() { // short commands, one after the other
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			s := newSource(fmt.Sprintf("command-%d", n))
			err := s.command(t, in.url(), filepath.Join(state, "short", "data"), 150)
			l.mu.Lock()
			l.sources = append(l.sources, s)
			if err != nil {
				l.errs = append(l.errs, err)
			}
			l.mu.Unlock()
		}
	})
	underLoad := func() {
		t.Helper()
		for _, s := range long {
			more := s.sent.Load() + 50
			bounded.Until(t, s.session+" to be recorded", func() bool {
				l.failed(t)
				return s.sent.Load() >= more
			})
		}
	}
	for _, role := range order {
		for _, server := range fleet[role] {
			underLoad()
			server.restart(t)
		}
	}
	underLoad()
	close(stop)
	for _, s := range long {
		close(s.cancel)
	}
	bounded.Wait(t, l.running.Wait)
	l.failed(t)
	for _, s := range long[:3] {
		if s.resumed == 0 {
			t.Errorf("session %s had one connection: the test shows nothing of it", s.session)
		}
	}

	frames := 0
	for range 2 { // the second time nothing has come late
		frames = 0
		for _, s := range l.sources {
			n := int(s.sent.Load())
			frames += n
			checkLoad(t, &commandtest.Instance{URL: out.url()}, s.session, n)
		}
	}
	t.Logf("%d sessions, %d frames", len(l.sources), frames)
}

// checkLoad waits until a session has so many frames, and compares them with those that were sent.
func checkLoad(t *testing.T, s *commandtest.Instance, session string, frames int) {
	t.Helper()
	want := loadLines(session, frames)
	var got string
	bounded.Until(t, fmt.Sprintf("%d frames of %s to be stored", frames, session), func() bool {
		status, body, _ := s.Get(t, "/v1/sessions/"+session+"/replay?mode=raw&speed=max", "Accept", "application/x-ndjson")
		got = string(body)
		return status == http.StatusOK && len(got) >= len(want)
	})
	if got != want {
		t.Errorf("session %s has %d frames, %d were sent: %s", session, strings.Count(got, "\n"), frames, firstDifference(got, want))
	}
	var tokens int
	bounded.Until(t, "the usage of "+session+" to be stored", func() bool { // it is after the frames
		var detail sessiondetail.Detail
		s.ReadJSON(t, "/v1/sessions/"+session, &detail)
		tokens = int(detail.Totals.UsageTotals.Tokens.Total)
		return tokens >= frames/10*tokensPerUsage
	})
	if tokens != frames/10*tokensPerUsage {
		t.Errorf("session %s has %d tokens, want %d", session, tokens, frames/10*tokensPerUsage)
	}
}

// firstDifference names the first line that differs.
func firstDifference(got, want string) string {
	wanted := strings.SplitAfter(want, "\n")
	for i, line := range strings.SplitAfter(got, "\n") {
		if i >= len(wanted) || line != wanted[i] {
			return fmt.Sprintf("frame %d is %q", i, line)
		}
	}
	return "the end is missing"
}
