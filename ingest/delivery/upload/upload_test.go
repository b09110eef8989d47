package upload

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/spool"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
)

func TestCarries(t *testing.T) {
	st, f := newStore(), &ingesttest.Results{}
	s := startSite(t, st)
	c := dial(t, Options{Server: s.url() + "/"})
	publish(t, c, f, 0, 1000, 3000)
	f.Durable(t)
	wantInOrder(t, st, 1000)
	if n := st.count(); n != 1000 {
		t.Errorf("%d blocks came, repeats included", n)
	}
	if got := c.State(); !got.Connected || got.Blocks != 0 || got.Bytes != 0 || got.LastError != "" {
		t.Errorf("state %+v", got)
	}
	closeNow(t, c)
	if err := c.Publish(t.Context(), testBlock(0, 1), func(error) {}); !errors.Is(err, ErrClosed) {
		t.Errorf("publish after close: %v", err)
	}
}

// Sizes at which pieces of a message end where buffers do must not wait for
// the next message.
func TestEverySizeGoesOutAtOnce(t *testing.T) {
	st := newStore()
	s := startSite(t, st)
	c := dial(t, Options{Server: s.url()})
	var sizes []int
	for _, around := range []int{4096, 8192, 64 << 10, 128 << 10, 256 << 10, 260 << 10, 512 << 10} {
		for d := -64; d <= 8; d++ {
			sizes = append(sizes, around+d)
		}
	}
	for i, size := range append(sizes, 1, 2, 3<<20) {
		settled := make(chan error)
		if err := c.Publish(t.Context(), testBlock(i, size), func(err error) { settled <- err }); err != nil {
			t.Fatal(err)
		}
		if err := bounded.Receive(t, settled); err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
	}
	wantInOrder(t, st, len(sizes)+3)
	closeNow(t, c)
}

// The server is killed and started again while blocks flow.
func TestServerRestarts(t *testing.T) {
	st, f := newStore(), &ingesttest.Results{}
	st.delay = time.Millisecond
	s := startSite(t, st)
	c := dial(t, Options{Server: s.url(), Grace: -1, Window: 1 << 20})
	var publishing sync.WaitGroup
	publishing.Go(func() { publish(t, c, f, 0, 1000, 20_000) })
	for i := range 4 {
		eventually(t, "some more came", func() bool { return len(st.firsts()) > 200*(i+1) })
		s.halt()
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond) // the server is down for a random time
		s.start()
	}
	bounded.Wait(t, publishing.Wait)
	f.Durable(t)
	wantInOrder(t, st, 1000)
	t.Logf("%d blocks came twice", st.count()-1000)
	closeNow(t, c)
}

// Something in between cuts connections in the middle of a message, and in the
// middle of the handshake.
func TestConnectionsAreCut(t *testing.T) {
	st, f := newStore(), &ingesttest.Results{}
	s := startSite(t, st)
	limits := []int64{100 << 10}
	for range 12 {
		limits = append(limits, rand.Int64N(300<<10))
	}
	limits = append(limits, 10, 150)
	r := startRelay(t, s.addr, limits...)
	c := dial(t, Options{Server: r.url(), Grace: -1})
	publish(t, c, f, 0, 1000, 5000)
	f.Durable(t)
	wantInOrder(t, st, 1000)
	if r.cuts < 10 {
		t.Errorf("%d connections were cut, want at least 10", r.cuts)
	}
	t.Logf("%d cuts, %d blocks came twice", r.cuts, st.count()-1000)
	closeNow(t, c)
}

// A server that cannot keep up holds the client back, and little lies between.
func TestSlowServer(t *testing.T) {
	st, f := newStore(), &ingesttest.Results{}
	st.gate = make(chan struct{})
	s := startSite(t, st)
	c := dial(t, Options{Server: s.url(), Window: 1 << 20, Grace: -1})
	publish(t, c, f, 0, 52, 20_000) // 1,040,000 of 1,048,576 bytes
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := c.Publish(ctx, testBlock(52, 20_000), func(error) { t.Error("done was called") })
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), s.url()) || !strings.Contains(err.Error(), "52 blocks") {
		t.Errorf("publish into a full window: %v", err)
	}
	if got := c.State(); got.Bytes != 52*20_000 || got.Blocks != 52 {
		t.Errorf("state %+v", got)
	}
	var publishing sync.WaitGroup
	publishing.Go(func() { publish(t, c, f, 52, 200, 20_000) })
	for range 200 {
		st.gate <- struct{}{}
	}
	bounded.Wait(t, publishing.Wait)
	f.Durable(t)
	wantInOrder(t, st, 200)
	closeNow(t, c)
}

func TestWindowByCount(t *testing.T) {
	st, f := newStore(), &ingesttest.Results{}
	st.gate = make(chan struct{})
	s := startSite(t, st)
	c := dial(t, Options{Server: s.url(), Blocks: 10, Grace: -1})
	publish(t, c, f, 0, 10, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := c.Publish(ctx, testBlock(10, 1), func(error) {}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("publish into a full window: %v", err)
	}
	close(st.gate)
	f.Durable(t)
	closeNow(t, c)
}

// A block larger than the window goes alone.
func TestLargeBlocks(t *testing.T) {
	st, f := newStore(), &ingesttest.Results{}
	s := newSite(t, st)
	s.opts.MaxBlock = 5 << 20
	s.start()
	defer s.halt()
	c := dial(t, Options{Server: s.url(), Window: 1 << 20})
	publish(t, c, f, 0, 1, 5<<20)
	publish(t, c, f, 1, 2, 100)
	f.Durable(t)
	wantInOrder(t, st, 2)
	err := c.Publish(t.Context(), testBlock(2, 5<<20+1), func(error) { t.Error("done was called") })
	if !ingest.IsPermanent(err) || !strings.Contains(err.Error(), "over the 5242880 that the tapedeck server "+s.url()) {
		t.Errorf("a block that is too large: %v", err)
	}
	publish(t, c, f, 3, 4, 100)
	f.Durable(t)
	closeNow(t, c)
}

// With a spool before it, a server may be gone for long: blocks are durable all
// the same, and arrive in order.
func TestBehindASpool(t *testing.T) {
	st, f := newStore(), &ingesttest.Results{}
	s := startSite(t, st)
	c := dial(t, Options{Server: s.url(), Grace: 100 * time.Millisecond})
	sp, err := spool.Open(spool.Options{Dir: t.TempDir(), Next: c, Log: testLog(t)})
	if err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		publish(t, sp, f, round*300, round*300+100, 10_000)
		s.halt()
		publish(t, sp, f, round*300+100, round*300+200, 10_000)
		f.Durable(t) // while there is no server
		if got := sp.State(); got.Mode != "spooling" || got.Blocks == 0 {
			t.Errorf("round %d: %+v", round, got)
		}
		s.start()
		publish(t, sp, f, round*300+200, round*300+300, 10_000)
		eventually(t, "the spool is empty", func() bool { got := sp.State(); return got.Mode == "direct" && got.Blocks == 0 })
	}
	f.Durable(t)
	wantInOrder(t, st, 900)
	closeNow(t, sp)
	closeNow(t, c)
}

// Of the blocks that a server refuses, the client learns which and why.
func TestRefusedBlocks(t *testing.T) {
	st, f := newStore(), &ingesttest.Results{}
	bad := ingest.Permanent(errors.New("too large for NATS"))
	st.refuse = func(id string) error {
		if strings.HasSuffix(id, "5") {
			return bad
		}
		return nil
	}
	st.abandon = func(id string) error {
		if strings.HasSuffix(id, "7") {
			return bad
		}
		return nil
	}
	s := startSite(t, st)
	c := dial(t, Options{Server: s.url()})
	publish(t, c, f, 0, 200, 1000)
	f.Wait(t)
	for id, err := range f.Reported() {
		refused := strings.HasSuffix(id, "5") || strings.HasSuffix(id, "7")
		if refused != (err != nil) || refused && (!ingest.IsPermanent(err) || !strings.Contains(err.Error(), "too large for NATS")) {
			t.Errorf("block %s: %v", id, err)
		}
	}
	if st.count() != 180 {
		t.Errorf("%d blocks came, want 180 and no repeat", st.count())
	}
	closeNow(t, c)
}

// What a server cannot take for now comes again, in order.
func TestRefusedForNow(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"by Publish", "by done"} {
		t.Run(how, func(t *testing.T) {
			st, f := newStore(), &ingesttest.Results{}
			var mu sync.Mutex
			often := map[string]int{}
			flaky := func(id string) error {
				mu.Lock()
				defer mu.Unlock()
				if often[id]++; strings.HasSuffix(id, "33") && often[id] <= 2 {
					return errors.New("the spool is full")
				}
				return nil
			}
			if how == "by Publish" {
				st.refuse = flaky
			} else {
				st.abandon = flaky
			}
			s := startSite(t, st)
			c := dial(t, Options{Server: s.url(), Grace: time.Minute})
			publish(t, c, f, 0, 300, 1000)
			f.Durable(t)
			wantInOrder(t, st, 300)
			if got := c.State(); !strings.Contains(got.LastError, "the spool is full") {
				t.Errorf("state %+v", got)
			}
			closeNow(t, c)
		})
	}
}

func TestClientCloses(t *testing.T) {
	st, f := newStore(), &ingesttest.Results{}
	st.delay = 50 * time.Millisecond
	s := startSite(t, st)
	c := dial(t, Options{Server: s.url()})
	publish(t, c, f, 0, 20, 1000)
	closeNow(t, c)
	f.Durable(t)

	st.gate = make(chan struct{})
	c = dial(t, Options{Server: s.url()})
	publish(t, c, f, 20, 25, 1000)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := c.Close(ctx); !errors.Is(err, ErrClosed) || !strings.Contains(err.Error(), "5 blocks") {
		t.Errorf("close: %v", err)
	}
	f.Wait(t)
	for i := 20; i < 25; i++ {
		if err := f.Reported()[testBlock(i, 0).ID]; !errors.Is(err, ErrClosed) {
			t.Errorf("block %d: %v", i, err)
		}
	}
}

// Many publish at once; each one's blocks keep their order.
func TestManyPublishers(t *testing.T) {
	st, f := newStore(), &ingesttest.Results{}
	s := startSite(t, st)
	c := dial(t, Options{Server: s.url(), Window: 100_000})
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() { publish(t, c, f, w*1000, w*1000+100, 5000) })
	}
	bounded.Wait(t, all.Wait)
	f.Durable(t)
	for w := range 8 {
		var mine []string
		for _, id := range st.firsts() {
			if len(id) == 4 && id[0] == byte('0'+w) || w == 0 && len(id) < 4 {
				mine = append(mine, id)
			}
		}
		if len(mine) != 100 || !slices.IsSortedFunc(mine, func(a, b string) int {
			if len(a) != len(b) {
				return len(a) - len(b)
			}
			return strings.Compare(a, b)
		}) {
			t.Errorf("of publisher %d came %v", w, mine)
		}
	}
	closeNow(t, c)
}
