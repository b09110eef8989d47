package torture

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/local/programtest"
)

var outage = flag.Duration("torture.outage", 4*time.Second, "how long NATS is away in TestOutage")

// What NATS being away is tested with.
const (
	outageRate = 20_000 // frames/s
	// outageMemory is how much the server that takes streams in may grow while
	// NATS is away: its Go heap grows and shrinks, and frames are in flight.
	outageMemory = 96 << 20
)

// NATS is away for a while and frames go on coming: they go to the spool, memory
// stays flat, nothing is lost, and the backlog is gone at more than twice the
// rate at which frames come.
func TestOutage(t *testing.T) {
	fulltest.Long(t)
	tables := localtest.Engine(t, engine.Options{Ephemeral: true})
	dir, err := os.MkdirTemp("", "tapedeck-outage-")
	if err != nil {
		t.Fatal(err)
	}
	c, err := startCluster(t.Context(), dir, programtest.Path(t), tables, int64(outage.Seconds()*outageRate*60)+spoolRoom)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.close(); err != nil {
			t.Error(err)
		}
	})
	s := newSource("outage")
	answer := make(chan error, 1)
	go func() { answer <- s.post(t.Context(), c.ingestURL) }()
	time.Sleep(2 * time.Second) // the memory during the outage is compared with the memory under a steady load
	before := c.memory(t)
	c.natsWire.sever()
	highest := before
	for end := time.Now().Add(*outage); time.Now().Before(end); time.Sleep(100 * time.Millisecond) { // between two samples of the memory
		highest = max(highest, c.memory(t))
	}
	backlog, bytes := c.spooled(t)
	if backlog == 0 {
		t.Fatal("nothing is in the spool")
	}
	spooled := s.sent.Load()
	c.natsWire.mend()
	mended := time.Now()
	// The connection is made anew from time to time; from then on the backlog
	// shrinks, and this is timed.
	began, most := time.Now(), backlog
	for left := backlog; left > 0; left, _ = c.spooled(t) {
		if left >= most {
			began, most = time.Now(), left
		}
		if time.Since(mended) > max(*outage, 30*time.Second) {
			t.Fatalf("the backlog is not gone after %v", time.Since(mended))
		}
		time.Sleep(5 * time.Millisecond) // between two looks at the spool
	}
	drained, found := time.Since(began), began.Sub(mended)
	highest = max(highest, c.memory(t))
	s.stop()
	if err := bounded.Receive(t, answer); err != nil {
		t.Fatalf("the source received: %v\n%s", err, c.logs())
	}
	if err := c.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	want, got := s.sum(), c.sum(t, "outage")
	if want != got {
		t.Errorf("read back %s, sent %s", got, want)
	}
	// While the backlog went, frames went on coming: both were sent on.
	waited := (*outage + found).Seconds() * outageRate
	rate := (waited + drained.Seconds()*outageRate) / drained.Seconds()
	t.Logf("NATS away for %v at %d frames/s: %d frames sent by then, %d bytes in the spool; NATS found again after %v, the backlog gone in %v (%.0f frames/s), memory %d → at most %d MiB",
		*outage, outageRate, spooled, bytes, found.Round(time.Millisecond), drained.Round(time.Millisecond), rate, before>>20, highest>>20)
	if rate < 2*outageRate {
		t.Errorf("the backlog went at %.0f frames/s, less than twice the live rate", rate)
	}
	if highest > before+outageMemory {
		t.Errorf("memory grew from %d to %d MiB", before>>20, highest>>20)
	}
}

// source makes frames at outageRate.
type source struct {
	session string
	sent    atomic.Int64
	hash    hash.Hash
	end     chan struct{}
}

func newSource(session string) *source {
	return &source{session: session, hash: sha256.New(), end: make(chan struct{})}
}

func (s *source) stop() { close(s.end) }

// sum returns the number of frames and the hash of their bytes. The source has ended.
func (s *source) sum() string {
	return fmt.Sprint(s.sent.Load(), " frames ", hex.EncodeToString(s.hash.Sum(nil)))
}

// post sends the frames as one body.
func (s *source) post(ctx context.Context, base string) error {
	body, w := io.Pipe()
	go func() {
		const tick = 10 * time.Millisecond
		began := time.Now()
		for {
			select {
			case <-s.end:
				w.Close()
				return
			case <-time.After(tick):
			}
			var text []byte
			for due := int64(time.Since(began).Seconds() * outageRate); s.sent.Load() < due; s.sent.Add(1) {
				text = fmt.Appendf(text, `{"session_id":"%s","node_id":"run-think-0","event_id":%d,"type":"message_chunk","content":" word","id":"think"}`+"\n",
					s.session, s.sent.Load()+1)
			}
			s.hash.Write(text)
			if _, err := w.Write(text); err != nil {
				return // the answer says why
			}
		}
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/ingest", body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, text)
	}
	return err
}

// memory returns the resident memory of the ingest server, bytes.
func (c *cluster) memory(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", c.ingest.pid()))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// spooled returns how many blocks wait in the spool, and in how many bytes of files.
func (c *cluster) spooled(t *testing.T) (blocks, bytes int64) {
	t.Helper()
	resp, err := http.Get(c.ingestURL + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var ready struct {
		Checks []struct {
			Part  string          `json:"part"`
			State json.RawMessage `json:"state"`
		} `json:"checks"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&ready); err != nil {
		t.Fatal(err)
	}
	for _, check := range ready.Checks {
		if check.Part != "spool" {
			continue
		}
		var state struct {
			Bytes  int64 `json:"bytes"`
			Blocks int64 `json:"blocks"`
		}
		if err := json.Unmarshal(check.State, &state); err != nil {
			t.Fatal(err)
		}
		return state.Blocks, state.Bytes
	}
	t.Fatal("no check of the spool")
	return 0, 0
}

// sum returns the totals of a session as a reader sees them.
func (c *cluster) sum(t *testing.T, session string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.apiURL+"/v1/sessions/"+session+"/frames?raw=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/x-ndjson")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	h, lines := sha256.New(), &lineCount{}
	if _, err := io.Copy(io.MultiWriter(h, lines), resp.Body); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(lines.n, " frames ", hex.EncodeToString(h.Sum(nil)))
}

// lineCount counts lines.
type lineCount struct{ n int64 }

func (l *lineCount) Write(p []byte) (int, error) {
	l.n += int64(strings.Count(string(p), "\n"))
	return len(p), nil
}
