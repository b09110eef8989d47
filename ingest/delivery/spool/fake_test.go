package spool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
)

var errDown = errors.New("server is away")

// fakeNext is a publisher whose faults are switched on and off. It keeps what
// it was handed, in order.
type fakeNext struct {
	mu      sync.Mutex
	refuse  error // Publish fails with it
	abandon error // done gets it
	hold    bool  // blocks taken wait for settle
	delay   time.Duration
	handed  []string // ids of every attempt, in order
	got     []string // ids confirmed, in order
	waiting []waitingBlock
	calls   sync.WaitGroup
}

type waitingBlock struct {
	p    ingest.EncodedBlock
	done func(error)
}

func (n *fakeNext) Publish(ctx context.Context, p ingest.EncodedBlock, done func(error)) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.handed = append(n.handed, p.ID)
	if err := checkData(p); err != nil {
		panic(err)
	}
	if n.refuse != nil {
		return n.refuse
	}
	if n.hold {
		n.waiting = append(n.waiting, waitingBlock{p, done})
		return nil
	}
	err := n.abandon
	n.calls.Go(func() {
		if n.delay > 0 {
			time.Sleep(n.delay) // the delay of the publisher that the test asks for
		}
		n.answer(p, done, err)
	})
	return nil
}

func (n *fakeNext) answer(p ingest.EncodedBlock, done func(error), err error) {
	if err == nil {
		n.mu.Lock()
		n.got = append(n.got, p.ID)
		n.mu.Unlock()
	}
	done(err)
}

// set changes the faults.
func (n *fakeNext) set(refuse, abandon error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refuse, n.abandon = refuse, abandon
}

// settle answers what waits, shuffled; verdict says how.
func (n *fakeNext) settle(verdict func(id string) error) {
	n.mu.Lock()
	w := n.waiting
	n.waiting, n.hold = nil, false
	n.mu.Unlock()
	rand.Shuffle(len(w), func(i, j int) { w[i], w[j] = w[j], w[i] })
	for _, p := range w {
		n.answer(p.p, p.done, verdict(p.p.ID))
	}
}

func (n *fakeNext) delivered() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.got...)
}

func (n *fakeNext) attempts() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.handed...)
}

// block makes the i-th block, whose data follows from its id.
func testBlock(i, size int) ingest.EncodedBlock {
	id := strconv.Itoa(i)
	return ingest.EncodedBlock{Tenant: "t", Session: "s", ID: id, Frames: i, Data: dataOf(id, size)}
}

func dataOf(id string, size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = id[i%len(id)] + byte(i/len(id))
	}
	return b
}

func checkData(p ingest.EncodedBlock) error {
	if string(p.Data) != string(dataOf(p.ID, len(p.Data))) || p.Tenant != "t" || p.Session != "s" || strconv.Itoa(p.Frames) != p.ID {
		return fmt.Errorf("block %s came with other contents than it was published with", p.ID)
	}
	return nil
}

func openAt(t *testing.T, o Options) *Spool {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeNow(t *testing.T, s *Spool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		t.Fatalf("close: %v", err)
	}
}

func publish(t *testing.T, s *Spool, f *ingesttest.Results, from, to, size int) {
	t.Helper()
	for i := from; i < to; i++ {
		p := testBlock(i, size)
		if err := s.Publish(t.Context(), p, f.Of(t, p.ID)); err != nil {
			t.Fatalf("publish %d: %v", i, err)
		}
	}
}

// eventually waits until what holds, on the real clock or a bubble's.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	bounded.Until(t, what, holds)
}

// drained waits until all was sent and confirmed.
func drained(t *testing.T, s *Spool) {
	t.Helper()
	eventually(t, "all is sent", func() bool {
		st := s.State()
		s.mu.Lock()
		defer s.mu.Unlock()
		return st.Mode == "direct" && st.Blocks == 0 && s.drained
	})
}

func ids(from, to int) []string {
	var all []string
	for i := from; i < to; i++ {
		all = append(all, strconv.Itoa(i))
	}
	return all
}

func discard() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }
