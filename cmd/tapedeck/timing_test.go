package main

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// Frames sent with known gaps come back with those gaps, on the real servers and
// the real clock. The gaps compared are the recorded ones, as arrival fixed them.
func TestGaps(t *testing.T) {
	s := shared.get(t)
	gaps := []time.Duration{0, 20, 50, 500, 1000, 0, 50, 20}
	c := dialWS(t, "ws"+strings.TrimPrefix(s.url, "http")+"/v1/ingest/ws?session=gaps")
	due := time.Now()
	for i, gap := range gaps {
		due = due.Add(gap * time.Millisecond)
		time.Sleep(time.Until(due))
		if err := c.Write(t.Context(), websocket.MessageText, fmt.Appendf(nil, `{"n":%d}`, i)); err != nil {
			t.Fatal(err)
		}
	}
	c.Close(websocket.StatusNormalClosure, "")
	until(t, "the end of the recording", 20*time.Second, func() bool {
		status, body, _ := s.get(t, "/v1/sessions/gaps")
		return status == http.StatusOK && strings.Contains(string(body), fmt.Sprintf(`"frames":%d`, len(gaps)))
	})
	for _, speed := range []float64{1, 10} {
		// The machine that tests run on may hold up any process for a moment:
		// one of three tries has to be on time.
		var worst time.Duration
		for try := range 3 {
			if worst = playGaps(t, s, gaps, speed); worst <= 5*time.Millisecond {
				break
			}
			t.Logf("speed %v, try %d: a gap was off by %v", speed, try, worst)
		}
		if worst > 5*time.Millisecond {
			t.Errorf("speed %v: a gap was off by %v, want at most 5 ms", speed, worst)
		}
	}
}

// playGaps plays the session and gives by how much the worst gap was off.
func playGaps(t *testing.T, s *instance, gaps []time.Duration, speed float64) time.Duration {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("%s/v1/sessions/gaps/replay?speed=%v", s.url, speed), nil)
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
	lines := bufio.NewScanner(resp.Body)
	for i := 0; lines.Scan(); i++ {
		now := time.Now()
		if i == len(gaps) {
			if !strings.Contains(lines.Text(), `"type":"end"`) {
				t.Fatalf("after the last frame came %s", lines.Text())
			}
			return worst
		}
		if i > 0 {
			want := time.Duration(float64(gaps[i]*time.Millisecond) / speed)
			worst = max(worst, (now.Sub(last) - want).Abs())
		}
		last = now
	}
	t.Fatalf("the playback broke off: %v", lines.Err())
	return 0
}
