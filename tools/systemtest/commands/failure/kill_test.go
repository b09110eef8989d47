package failure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/internal/app/server"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// kill -9 of the whole server while it records, ten times at random moments:
// after the restart every frame that was acknowledged is there, once and as it was.
func TestKilledWhileRecording(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	commandtest.NeedEngine(t)
	dir := filepath.Join(t.TempDir(), "data")
	acked := map[string]int{} // session → the highest seq that was acknowledged
	for round := range 10 {
		s, err := commandtest.StartUp(t, dir)
		if err != nil {
			t.Fatal(err)
		}
		session := fmt.Sprintf("round-%d", round)
		kill := sync.OnceFunc(func() {
			time.AfterFunc(time.Duration(rand.IntN(400))*time.Millisecond, func() { _ = s.Cmd.Process.Kill() })
		})
		if round%2 == 0 { // at any moment; else when something was acknowledged
			kill()
		}
		acked[session] = feedUntilCut(t, s, session, kill)
		kill()
		bounded.Receive(t, s.Done)
	}
	s, err := commandtest.StartUp(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for session, last := range acked {
		total += last + 1
		if last < 0 {
			continue
		}
		var lines []string
		bounded.Until(t, session+" to be stored", func() bool {
			status, body, _ := s.Get(t, "/v1/sessions/"+session+"/replay?mode=raw&speed=max", "Accept", "application/x-ndjson")
			lines = strings.Split(strings.TrimSuffix(string(body), "\n"), "\n")
			return status == http.StatusOK && len(lines) > last
		})
		for i := range last + 1 {
			if want := killLine(session, i); lines[i] != want {
				t.Fatalf("%s: frame %d is %q, want %q: lost, doubled or changed", session, i, lines[i], want)
			}
		}
		// Those after the last acknowledgement may be there, in order.
		for i, line := range lines {
			if line != killLine(session, i) {
				t.Fatalf("%s: frame %d is %q", session, i, line)
			}
		}
	}
	if total == 0 {
		t.Error("nothing was acknowledged in any round, so this test shows nothing")
	}
	t.Logf("%d frames were acknowledged over ten kills, all of them are there once", total)
	if took, err := s.Stop(); err != nil || took > server.StopTimeout {
		t.Errorf("stopping took %v (%v), want at most %v", took, err, server.StopTimeout)
	}
}

func killLine(session string, i int) string {
	return fmt.Sprintf(`{"session_id":"%s","event_id":%d,"type":"message_chunk","content":"x","id":"think"}`, session, i+1)
}

// feedUntilCut sends frames until the connection is cut, and returns the highest
// seq that the server acknowledged, -1 for none. It calls heard at each
// acknowledgement.
func feedUntilCut(t *testing.T, s *commandtest.Instance, session string, onAck func()) int {
	t.Helper()
	c, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http")+"/v1/ingest/ws?dialect=loom&session="+session, nil)
	if err != nil {
		return -1 // killed before
	}
	defer c.CloseNow()
	acked := make(chan int, 1)
	go func() {
		last := -1
		for {
			_, text, err := c.Read(context.Background())
			if err != nil {
				acked <- last
				return
			}
			if n, _ := fmt.Sscanf(string(text), `{"ack":%d}`, &last); n == 1 { // anything else is no acknowledgement
				onAck()
			}
		}
	}()
	for i := 0; ; i++ {
		if c.Write(t.Context(), websocket.MessageText, []byte(killLine(session, i))) != nil {
			return bounded.Receive(t, acked)
		}
		if i%50 == 0 {
			time.Sleep(time.Millisecond) // the recording has to last until the kill
		}
	}
}
