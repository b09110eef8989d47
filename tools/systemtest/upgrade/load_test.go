package upgrade

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/tools/bench"
)

// recording is a session that was sent.
type recording struct {
	id, phase string
	program   string
	sent      []byte // its lines
}

// load records sessions with programs of both versions until it is stopped.
type load struct {
	fleet   *fleet
	pool    [][]byte // the lines of the generated sessions
	ids     []string
	sources sync.WaitGroup
	stop    chan struct{}
	again   atomic.Int32 // commands that were run again, since no server answered at their start

	mu   sync.Mutex // guards what follows
	all  []*recording
	errs []error
}

const poolFrames = 4000

func newLoad(t *testing.T, f *fleet) *load {
	t.Helper()
	path := filepath.Join(f.dir, "pool.ndjson")
	if err := bench.Generate(poolFrames, path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l := &load{fleet: f}
	for line := range bytes.Lines(data) {
		var head struct {
			Session string `json:"session_id"`
		}
		if err := json.Unmarshal(line, &head); err != nil {
			t.Fatal(err)
		}
		if n := len(l.ids); n == 0 || l.ids[n-1] != head.Session {
			l.ids, l.pool = append(l.ids, head.Session), append(l.pool, nil)
		}
		l.pool[len(l.pool)-1] = append(l.pool[len(l.pool)-1], line...)
	}
	return l
}

// begin starts recording commands of the programs. Sessions of the phase have its name as
// their tag.
func (l *load) begin(ctx context.Context, phase string, programs ...string) {
	l.stop = make(chan struct{})
	for n, program := range programs {
		state := filepath.Join(l.fleet.dir, fmt.Sprintf("state-%s-%d", phase, n))
		l.sources.Go(func() {
			for {
				select {
				case <-l.stop:
					return
				default:
				}
				r := l.next(phase, program)
				if err := l.record(ctx, r, state); err != nil {
					l.mu.Lock()
					l.errs = append(l.errs, fmt.Errorf("record %s with %s: %w", r.id, program, err))
					l.mu.Unlock()
					return
				}
			}
		})
	}
}

// end waits until the sessions that were begun are sent.
func (l *load) end(t *testing.T) {
	t.Helper()
	close(l.stop)
	l.sources.Wait()
	for _, err := range l.errs {
		t.Error(err)
	}
	if t.Failed() {
		t.FailNow() // what was not recorded cannot be compared
	}
}

func (l *load) next(phase, program string) *recording {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.all)
	id := fmt.Sprintf("%s-%d", phase, n)
	r := &recording{id, phase, program, bytes.ReplaceAll(l.pool[n%len(l.pool)], []byte(l.ids[n%len(l.pool)]), []byte(id))}
	l.all = append(l.all, r)
	return r
}

// piece and pace make a session take about a second, so that sessions are recorded during restarts.
const (
	piece = 400
	pace  = 20 * time.Millisecond
)

// record records a session. The command ends if no server answers when it starts, before it
// reads anything: then it is run again.
func (l *load) record(ctx context.Context, r *recording, state string) error {
	for end := time.Now().Add(bounded.Limit); ; {
		err := l.recordOnce(ctx, r, state)
		if err == nil || !strings.Contains(err.Error(), "no tapedeck server answers") || time.Now().After(end) {
			return err
		}
		l.again.Add(1)
		time.Sleep(100 * time.Millisecond) // between two starts of the command
	}
}

func (l *load) recordOnce(ctx context.Context, r *recording, state string) error {
	cmd := exec.CommandContext(ctx, r.program, "record", "--no-wait", "--server", l.fleet.url("ingest"), "--tag", "phase="+r.phase, "-")
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	for rest := r.sent; len(rest) > 0; {
		n := min(piece, len(rest))
		if _, err := in.Write(rest[:n]); err != nil {
			break // Wait reports why
		}
		rest = rest[n:]
		time.Sleep(pace) // a recording lasts, so that restarts hit it
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, stderr.String())
	}
	return nil
}

// recorded returns the sessions of a phase, of all phases for "".
func (l *load) recorded(phase string) (list []*recording) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.all {
		if phase == "" || r.phase == phase {
			list = append(list, r)
		}
	}
	return list
}
