package upload

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/loopback"
)

// store is the publisher behind a server under test. It notes what it is
// handed; its faults are switched on and off.
type store struct {
	mu      sync.Mutex
	got     []string
	blocks  map[string]ingest.EncodedBlock
	refuse  func(id string) error // of Publish
	abandon func(id string) error // of done
	gate    chan struct{}         // Publish waits for it, if set
	delay   time.Duration         // until done is called
	calls   sync.WaitGroup

	waiting atomic.Int64 // calls of Publish at the gate
}

func newStore() *store { return &store{blocks: map[string]ingest.EncodedBlock{}} }

func (s *store) Publish(ctx context.Context, p ingest.EncodedBlock, done func(error)) error {
	s.mu.Lock()
	gate, refuse, abandon, delay := s.gate, s.refuse, s.abandon, s.delay
	s.mu.Unlock()
	if gate != nil {
		s.waiting.Add(1)
		defer s.waiting.Add(-1)
		select {
		case <-gate:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if refuse != nil {
		if err := refuse(p.ID); err != nil {
			return err
		}
	}
	s.mu.Lock()
	s.got = append(s.got, p.ID)
	s.blocks[p.ID] = p
	s.mu.Unlock()
	s.calls.Go(func() {
		time.Sleep(delay) // the delay of the publisher that the test asks for
		if abandon != nil {
			done(abandon(p.ID))
			return
		}
		done(nil)
	})
	return nil
}

// firsts is what came, without the repeats.
func (s *store) firsts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := map[string]bool{}
	var first []string
	for _, id := range s.got {
		if !seen[id] {
			seen[id] = true
			first = append(first, id)
		}
	}
	return first
}

func (s *store) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.got)
}

// site is a server on a real port, which can be stopped and started again.
type site struct {
	t       *testing.T
	opts    ServerOptions
	tenant  string
	handler func(w http.ResponseWriter, r *http.Request) bool // may answer before the server does
	addr    string
	server  *Server
	http    *http.Server
	served  sync.WaitGroup
}

func newSite(t *testing.T, next ingest.Publisher) *site {
	return &site{t: t, opts: ServerOptions{Next: next, Log: testLog(t)}, addr: loopback.Host() + ":0"}
}

func startSite(t *testing.T, next ingest.Publisher) *site {
	t.Helper()
	s := newSite(t, next)
	s.start()
	t.Cleanup(s.halt)
	return s
}

func (s *site) url() string { return "http://" + s.addr }

func (s *site) start() {
	s.t.Helper()
	var l net.Listener
	var err error
	for range 100 { // the port may still be busy with what was cut off
		if l, err = net.Listen("tcp", s.addr); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond) // between two attempts to listen
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.addr = l.Addr().String()
	s.server = NewServer(s.opts)
	mux := http.NewServeMux()
	mux.HandleFunc(Path, func(w http.ResponseWriter, r *http.Request) {
		if s.handler == nil || !s.handler(w, r) {
			s.server.Blocks(w, r, s.tenant)
		}
	})
	s.http = &http.Server{Handler: mux}
	s.served.Go(func() { s.http.Serve(l) })
}

// halt cuts everything off, as a kill does.
func (s *site) halt() {
	s.http.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.server.Close(ctx)
	s.served.Wait()
}

func testLog(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func dial(t *testing.T, o Options) *Client {
	t.Helper()
	if o.Log == nil {
		o.Log = testLog(t)
	}
	c, err := Dial(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func closeNow(t *testing.T, c interface{ Close(context.Context) error }) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := c.Close(ctx); err != nil {
		t.Fatalf("close: %v", err)
	}
}

// block makes the i-th block, whose block follows from its number.
func testBlock(i, size int) ingest.EncodedBlock {
	data := make([]byte, size)
	for j := range data {
		data[j] = byte(i + j + j>>8)
	}
	return ingest.EncodedBlock{Tenant: "default", Session: "session " + strconv.Itoa(i), ID: strconv.Itoa(i), Frames: i, Data: data}
}

func publish(t *testing.T, to ingest.Publisher, f *ingesttest.Results, from, to1, size int) {
	t.Helper()
	for i := from; i < to1; i++ {
		p := testBlock(i, size)
		if err := to.Publish(t.Context(), p, f.Of(t, p.ID)); err != nil {
			t.Fatalf("publish %d: %v", i, err)
		}
	}
}

func wantInOrder(t *testing.T, s *store, n int) {
	t.Helper()
	got := s.firsts()
	if len(got) != n {
		t.Errorf("%d blocks came, want %d", len(got), n)
	}
	for i, id := range got {
		if id != strconv.Itoa(i) {
			t.Errorf("block %s came in place %d", id, i)
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, p := range s.blocks {
		i, _ := strconv.Atoi(id)
		want := testBlock(i, len(p.Data))
		if string(p.Data) != string(want.Data) || p.Session != want.Session || p.Frames != i {
			t.Errorf("block %s came with other contents", id)
			return
		}
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	bounded.Until(t, what, holds)
}

// relay is a TCP proxy that cuts each connection after some bytes from the
// client; after the last of its limits it lets everything pass.
type relay struct {
	l       net.Listener
	to      string
	mu      sync.Mutex
	limits  []int64
	cuts    int
	running sync.WaitGroup
}

func startRelay(t *testing.T, to string, limits ...int64) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{l: l, to: to, limits: limits}
	r.running.Go(r.accept)
	t.Cleanup(func() {
		l.Close()
		bounded.Wait(t, r.running.Wait)
	})
	return r
}

func (r *relay) url() string { return "http://" + r.l.Addr().String() }

func (r *relay) accept() {
	for {
		from, err := r.l.Accept()
		if err != nil {
			return
		}
		r.running.Go(func() { r.pass(from) })
	}
}

var errCut = errors.New("cut")

func (r *relay) pass(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", r.to)
	if err != nil {
		return
	}
	defer to.Close()
	r.mu.Lock()
	limit := int64(-1)
	if len(r.limits) > 0 {
		limit, r.limits = r.limits[0], r.limits[1:]
	}
	r.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() {
		defer from.Close()
		defer to.Close()
		copyUpTo(from, to, -1)
	})
	if copyUpTo(to, from, limit) == errCut {
		r.mu.Lock()
		r.cuts++
		r.mu.Unlock()
		time.Sleep(30 * time.Millisecond) // what comes back meanwhile varies the tests; none of them rests on it
	}
	from.Close()
	to.Close()
	both.Wait()
}

// copyUpTo copies so many bytes, or all with a negative limit.
func copyUpTo(to, from net.Conn, limit int64) error {
	buf := make([]byte, 32<<10)
	for limit != 0 {
		b := buf
		if limit > 0 && int64(len(b)) > limit {
			b = b[:limit]
		}
		n, err := from.Read(b)
		if _, werr := to.Write(b[:n]); err != nil || werr != nil {
			return fmt.Errorf("%w, %w", err, werr)
		}
		if limit > 0 {
			limit -= int64(n)
		}
	}
	return errCut
}
