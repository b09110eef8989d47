package replay

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/internal/bounded"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// Frames sent with known gaps come back with those gaps, on the real servers and
// the real clock. The gaps compared are the recorded ones, as arrival fixed them.
func TestGaps(t *testing.T) {
	s := commandtest.Shared(t)
	gaps := []time.Duration{0, 20, 50, 500, 1000, 0, 50, 20}
	c := commandtest.DialWS(t, "ws"+strings.TrimPrefix(s.URL, "http")+"/v1/ingest/ws?session=gaps")
	due := time.Now()
	for i, gap := range gaps {
		due = due.Add(gap * time.Millisecond)
		time.Sleep(time.Until(due)) // the gaps are what is recorded and played
		if err := c.Write(t.Context(), websocket.MessageText, fmt.Appendf(nil, `{"n":%d}`, i)); err != nil {
			t.Fatal(err)
		}
	}
	c.Close(websocket.StatusNormalClosure, "")
	bounded.Until(t, "the end of the recording", func() bool {
		status, body, _ := s.Get(t, "/v1/sessions/gaps")
		return status == http.StatusOK && strings.Contains(string(body), fmt.Sprintf(`"frames":%d`, len(gaps)))
	})
	for _, speed := range []float64{1, 10} {
		// The machine that tests run on may hold up any process for a moment: a
		// gap may be off by as much as a mere timer is meanwhile, and one of ten
		// tries has to be on time.
		var worst, busy time.Duration
		for try := range 10 {
			timers := watchTimers()
			worst = playGaps(t, s, len(gaps), speed)
			if busy = timers(); worst <= 5*time.Millisecond+busy {
				break
			}
			t.Logf("speed %v, try %d: a gap was off by %v, a timer by %v", speed, try, worst, busy)
		}
		if worst > 5*time.Millisecond+busy {
			t.Errorf("speed %v: a gap was off by %v, want at most 5 ms, and the %v by which a timer was", speed, worst, busy)
		}
	}
}

// watchTimers looks how late a timer of this process is, until its result is
// called, which shows the worst.
func watchTimers() func() time.Duration {
	stop, worst := make(chan struct{}), make(chan time.Duration)
	go func() {
		var late time.Duration
		for due := time.Now().Add(time.Millisecond); ; due = time.Now().Add(time.Millisecond) {
			select {
			case <-time.After(time.Until(due)):
				late = max(late, time.Since(due))
			case <-stop:
				worst <- late
				return
			}
		}
	}()
	return func() time.Duration {
		close(stop)
		return <-worst
	}
}

// playGaps plays the session of so many frames and returns by how much the worst
// gap was off from the recorded one.
func playGaps(t *testing.T, s *commandtest.Instance, frames int, speed float64) time.Duration {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("%s/v1/sessions/gaps/replay?speed=%v", s.URL, speed), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/x-ndjson")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var worst time.Duration
	var last time.Time
	var before float64
	lines := bufio.NewScanner(resp.Body)
	for i := 0; lines.Scan(); i++ {
		now := time.Now()
		if i == frames {
			if !strings.Contains(lines.Text(), `"type":"end"`) {
				t.Fatalf("after the last frame came %s", lines.Text())
			}
			return worst
		}
		var frame struct {
			OffsetMS float64 `json:"offset_ms"`
		}
		if err := json.Unmarshal(lines.Bytes(), &frame); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			want := time.Duration((frame.OffsetMS - before) / speed * float64(time.Millisecond))
			worst = max(worst, (now.Sub(last) - want).Abs())
		}
		last, before = now, frame.OffsetMS
	}
	t.Fatalf("the playback broke off: %v", lines.Err())
	return 0
}
