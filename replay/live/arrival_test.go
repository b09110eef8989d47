package live_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/localtest"
	"tapedeck/replay"
	"tapedeck/replay/live"
	"tapedeck/replay/player"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// hand makes a stream's blocks of two frames each, for tests that settle
// themselves when each of them comes.
type hand struct {
	b     *bench
	id    string
	begin int64
	kind  schema.Transport
}

func (b *bench) hand(ago time.Duration) *hand {
	return &hand{b: b, id: schema.NewStreamID(), begin: time.Now().Add(-ago).UnixNano(), kind: schema.NDJSON}
}

// send publishes the block with the frames 2n and 2n+1.
func (h *hand) send(n uint64, ended bool) {
	h.b.t.Helper()
	build := block.NewBuilder()
	defer build.Release()
	for seq := 2 * n; seq < 2*n+2; seq++ {
		build.Add(&schema.Frame{Seq: seq, At: h.at(seq), Transport: h.kind, Raw: fmt.Appendf(nil, "%d\n", seq),
			Envelope: schema.Envelope{Type: []string{"even", "odd"}[seq%2]}})
	}
	state := h.state(n)
	if ended {
		state.Ended, state.EndReason = state.LastAt, "eof"
		state.Version++
	}
	data := build.Encode(nil, &block.Block{Tenant: ingest.DefaultTenant, Session: "s", State: state}, block.S2)
	if _, err := h.b.js.Publish(context.Background(), ingest.Subject(ingest.DefaultTenant, "s"), data); err != nil {
		h.b.t.Error(err)
	}
}

func (h *hand) at(seq uint64) int64 { return h.begin + int64(seq)*1e6 }

// state is that of the part in session s after the frames of block n.
func (h *hand) state(n uint64) schema.StreamState {
	return schema.StreamState{
		StreamID: h.id, Transport: h.kind, FirstAt: h.at(0), LastAt: h.at(2*n + 1), Frames: 2*n + 2, Version: 2 * (2*n + 2),
	}
}

// leave publishes a block of another session, with the frame 2n, which shows that
// the stream has left s.
func (h *hand) leave(n uint64) {
	h.b.t.Helper()
	build := block.NewBuilder()
	defer build.Release()
	build.Add(&schema.Frame{Seq: 2 * n, At: h.at(2 * n), Transport: h.kind, Raw: []byte("other\n")})
	left := h.state(n - 1)
	left.Ended, left.EndReason = left.LastAt, "left"
	left.Version++
	state := schema.StreamState{
		StreamID: h.id, Transport: h.kind, FirstAt: h.at(2 * n), LastAt: h.at(2 * n), FirstSeq: 2 * n, Frames: 1, Version: 2 * (2*n + 1),
	}
	data := build.Encode(nil, &block.Block{
		Tenant: ingest.DefaultTenant, Session: "other", State: state, Left: []block.Left{{Session: "s", State: left}},
	}, block.S2)
	if _, err := h.b.js.Publish(context.Background(), ingest.Subject(ingest.DefaultTenant, "other"), data); err != nil {
		h.b.t.Error(err)
	}
}

// arrivals follows session s while step runs, and returns what came, as
// "<stream> <seq>" with the streams' places in the list. step may wait until so
// many frames came.
func arrivals(t *testing.T, l *live.Library, streams []*hand, step func(came func(n int))) []string {
	t.Helper()
	out := newSeen()
	var lines []string
	var count atomic.Int64
	sink := &recording{seen: out, play: func(f *replay.Frame) {
		at := slices.IndexFunc(streams, func(h *hand) bool { return h.id == f.Stream.StreamID })
		lines = append(lines, fmt.Sprintf("%c%d", 'a'+at, f.Seq))
		count.Add(1)
	}}
	ctx, cancel := context.WithTimeout(t.Context(), bounded.Limit)
	defer cancel()
	tape, err := l.Tape(ctx, ingest.DefaultTenant, "s")
	if err != nil {
		t.Fatal(err)
	}
	var stepping sync.WaitGroup
	stepping.Go(func() {
		step(func(n int) {
			bounded.Until(t, fmt.Sprintf("%d frames come", n), func() bool { return count.Load() >= int64(n) || ctx.Err() != nil })
		})
	})
	if _, err := player.New(tape, sink, player.Options{Speed: player.Max}).Run(ctx); err != nil {
		t.Error(err)
	}
	bounded.Wait(t, stepping.Wait)
	return lines
}

type recording struct {
	*seen
	play func(*replay.Frame)
}

func (s *recording) Play(f *replay.Frame, _, _ int) error {
	s.play(f)
	return nil
}

// Blocks that change places, come twice, or late: a stream stays in order as long
// as anybody can wait, and nothing is lost or shown twice.
func TestArrivals(t *testing.T) {
	t.Parallel()
	// The follower receives a block that is early before the one that it waits for. It shows
	// nothing of that, so there is no condition to wait for.
	pause := func() { time.Sleep(50 * time.Millisecond) } // no condition shows that the follower has the block
	for _, tc := range []struct {
		name  string
		sent  int              // blocks that begin sends, once each
		begin func(a, b *hand) // before somebody follows
		then  func(a, b *hand, came func(n int))
		want  string
		lost  bool // the follower stops waiting for a block
	}{
		{
			"changed places", 1, func(a, _ *hand) { a.send(0, false) },
			func(a, _ *hand, _ func(int)) { a.send(2, false); pause(); a.send(1, false); a.send(3, true) },
			"a0 a1 a2 a3 a4 a5 a6 a7", false,
		},
		{
			"the first two of a new stream changed places", 1, func(a, _ *hand) { a.send(0, false) },
			func(a, b *hand, _ func(int)) {
				b.send(1, false)
				pause()
				b.send(0, false)
				a.send(1, true)
				b.send(2, true)
			},
			"a0 a1 b0 b1 b2 b3 a2 a3 b4 b5", false,
		},
		{
			"one comes far too late", 1, func(a, _ *hand) { a.send(0, false) },
			func(a, _ *hand, came func(int)) {
				a.send(2, false)
				came(4) // they are shown without what is missing
				a.send(1, false)
				a.send(3, true)
			},
			"a0 a1 a4 a5 a2 a3 a6 a7", true,
		},
		{
			"one never comes", 1, func(a, _ *hand) { a.send(0, false) },
			func(a, _ *hand, _ func(int)) { a.send(2, true) },
			"a0 a1 a4 a5", true,
		},
		{
			"sent again", 2, func(a, _ *hand) { a.send(0, false); a.send(1, false); a.send(0, false) },
			func(a, _ *hand, _ func(int)) {
				a.send(2, false)
				a.send(1, false)
				a.send(2, false)
				a.send(3, true)
				a.send(3, true)
			},
			"a0 a1 a2 a3 a4 a5 a6 a7", false,
		},
		{
			"sent again before it goes on", 2, func(a, _ *hand) { a.send(0, false); a.send(1, false) },
			func(a, _ *hand, _ func(int)) { a.send(0, false); a.send(2, true) },
			"a0 a1 a2 a3 a4 a5", false,
		},
		{
			"another stream, from before the session's start", 2, func(a, _ *hand) { a.send(0, false); a.send(1, false) },
			func(a, b *hand, _ func(int)) {
				b.begin = a.begin - int64(time.Minute)
				b.send(0, false)
				a.send(2, true)
				b.send(1, true)
			},
			"a0 a1 a2 a3 b0 b1 a4 a5 b2 b3", false,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			l := b.library(func(o *live.Options) {
				if o.Timeout = bounded.Limit; tc.lost {
					o.Timeout = time.Second
				}
			})
			streams := []*hand{b.hand(time.Second), b.hand(time.Second)}
			tc.begin(streams[0], streams[1])
			first := 2 * tc.sent // frames that are there before
			got := arrivals(t, l, streams, func(came func(int)) {
				came(first)
				tc.then(streams[0], streams[1], came)
			})
			if text := strings.Join(got, " "); text != tc.want {
				t.Errorf("got  %s\nwant %s", text, tc.want)
			}
		})
	}
}

// TestRemovedBeforeReceived has a block stored and removed from JetStream that the follower
// never received: it reads the frames from the store, and does not wait for Options.Timeout.
func TestRemovedBeforeReceived(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, want string }{
		{"of a stream that it reads", "a0 a1 a2 a3 a4 a5 a6 a7"},
		{"the first of a new stream", "b0 b1 a0 a1 a2 a3 a4 a5"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.keep = time.Millisecond
			other := benchOn(t, localtest.NATS(t)) // where the missing block is stored from
			other.dsn = b.dsn
			l := b.library(func(o *live.Options) { o.Timeout = bounded.Limit })
			streams := []*hand{b.hand(time.Second), b.hand(time.Second)}
			stream, missing := streams[0], uint64(1)
			if strings.HasPrefix(tc.want, "b") {
				missing = 0
				streams[1].send(0, false)
			} else {
				stream.send(0, false)
			}
			begin := time.Now()
			got := arrivals(t, l, streams, func(came func(int)) {
				came(2)
				elsewhere := *stream
				elsewhere.b = other
				elsewhere.send(missing, false)
				other.startSink()
				other.stored(t, 1)
				stream.send(missing+1, false)
				b.startSink()
				b.stored(t, 2)
				time.Sleep(10 * b.keep) // stored blocks are removed once they are older than keep
				if err := b.sink.Trim(t.Context()); err != nil {
					t.Error(err)
				}
				came(6)
				stream.send(missing+2, true)
				if missing == 0 {
					streams[1].send(1, true)
				}
			})
			if text := strings.Join(got[:min(len(got), 8)], " "); text != tc.want {
				t.Errorf("got  %s\nwant %s", text, tc.want)
			}
			if took := time.Since(begin); took > bounded.Limit/2 {
				t.Errorf("took %s", took)
			}
		})
	}
}

// stored waits until the sink has acknowledged so many blocks.
func (b *bench) stored(t *testing.T, blocks uint64) {
	t.Helper()
	bounded.Until(t, "the sink stores the blocks", func() bool {
		c, err := b.js.Consumer(t.Context(), jetstream.StreamName, sink.ConsumerName)
		return err == nil && c.CachedInfo().AckFloor.Stream >= blocks
	})
}

// A session is over a while after its last stream has ended; sooner or later
// also if a stream never does.
func TestOver(t *testing.T) {
	t.Parallel()
	const never = time.Hour
	for _, tc := range []struct {
		name                 string
		kind                 schema.Transport
		ended                bool
		grace, http, silence time.Duration
		least                time.Duration
	}{
		{"a file", schema.NDJSON, true, 300 * time.Millisecond, never, never, 300 * time.Millisecond},
		{"an exchange", schema.HTTP, true, 300 * time.Millisecond, 900 * time.Millisecond, never, 900 * time.Millisecond},
		{"a tap that was killed", schema.NDJSON, false, 300 * time.Millisecond, never, 1800 * time.Millisecond, 1800 * time.Millisecond},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			l := b.library(func(o *live.Options) { o.Grace, o.GraceHTTP, o.Silence = tc.grace, tc.http, tc.silence })
			begin := time.Now()
			a := b.hand(0)
			a.kind = tc.kind
			a.send(0, tc.ended)
			if got := arrivals(t, l, []*hand{a}, func(func(int)) {}); len(got) != 2 {
				t.Errorf("got %q", got)
			}
			if took := time.Since(begin); took < tc.least {
				t.Errorf("over after %s, want %s at least", took, tc.least)
			}
		})
	}
}

// A stream that leaves a session for another one says so in the other's next
// block: the session is over when that is stored.
func TestOverWhenLeft(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.startSink()
	l := b.library(func(o *live.Options) { o.Grace = 300 * time.Millisecond })
	a := b.hand(0)
	a.send(0, false)
	if got := arrivals(t, l, []*hand{a}, func(func(int)) { a.leave(1) }); len(got) != 2 {
		t.Errorf("got %q", got)
	}
}

// hung is a store that after the first tape answers nobody.
type hung struct {
	replay.Library
	asked chan struct{} // holds one element once somebody waits for an answer
	tapes atomic.Int64
}

// Tape implements replay.Library.
func (h *hung) Tape(ctx context.Context, tenant, session string) (replay.Tape, error) {
	if h.tapes.Add(1) == 1 {
		return h.Library.Tape(ctx, tenant, session)
	}
	select {
	case h.asked <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// What comes live does not wait for a store that does not answer.
func TestStoreHangs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	store := &hung{Library: b.store, asked: make(chan struct{}, 1)}
	l := b.library(func(o *live.Options) { o.Grace, o.Stored = 300*time.Millisecond, store })
	a := b.hand(0)
	a.send(0, false)
	got := arrivals(t, l, []*hand{a}, func(func(int)) {
		select {
		case <-store.asked:
		case <-t.Context().Done():
		}
		a.send(1, true)
	})
	if len(got) != 4 {
		t.Errorf("got %q", got)
	}
}

// All who follow a session share one consumer.
func TestOneConsumer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	l := b.library(nil)
	a := b.hand(0)
	a.send(0, false)
	var all sync.WaitGroup
	var began atomic.Int64
	for range 20 {
		all.Go(func() {
			out := newSeen()
			out.stop = func(s *seen) error {
				if s.count == 2 {
					began.Add(1)
				}
				return nil
			}
			if _, err := follow(l, "s", out, player.Options{Speed: player.Max}, ""); err != nil || out.count != 4 {
				t.Errorf("%d frames, %v", out.count, err)
			}
		})
	}
	bounded.Until(t, "20 followers begin", func() bool { return began.Load() == 20 })
	s, err := b.js.Stream(t.Context(), jetstream.StreamName)
	if err != nil {
		t.Fatal(err)
	}
	if n := s.CachedInfo().State.Consumers; n != 1 {
		t.Errorf("%d consumers", n)
	}
	a.send(1, true)
	bounded.Wait(t, all.Wait)
}

// Followers outlive a NATS that is away for a while.
func TestNATSRestarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := localtest.Broker(t, broker.Options{Dir: dir, Listen: "127.0.0.1:0", Token: "token"})
	b := benchOn(t, connect(t, server))
	l := b.library(nil)
	a := b.hand(0)
	a.send(0, false)
	lines := arrivals(t, l, []*hand{a}, func(came func(int)) {
		a.send(1, false)
		came(4)
		address := b.nc.ConnectedAddr()
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		bounded.Until(t, "the connection breaks", func() bool { return !b.nc.IsConnected() })
		localtest.Broker(t, broker.Options{Dir: dir, Listen: address, Token: "token"})
		bounded.Until(t, "the connection is made again", b.nc.IsConnected)
		for n := uint64(2); n < 6; n++ {
			a.send(n, n == 5)
			came(2*int(n) + 2)
		}
	})
	if text := strings.Join(lines, " "); text != "a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11" {
		t.Errorf("got %s", text)
	}
}

// TestLateAfterOpening opens a session of which a block is missing, although the one after it is
// stored: the missing block waits in a recorder's spool. Its frames are received once, when it
// arrives or, if it was only stored, at the end, by readers of the whole session and of a part.
func TestLateAfterOpening(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		query  func(a *hand) replay.Query
		stored bool // the missing block reaches the store by another way
		want   string
	}{
		{"whole", func(*hand) replay.Query { return replay.Query{} }, false, "0 1 4 5 2 3 6 7"},
		{"stored elsewhere", func(*hand) replay.Query { return replay.Query{} }, true, "0 1 4 5 6 7 2 3"},
		{"filtered", func(*hand) replay.Query {
			return replay.Query{Filter: replay.Filter{Types: []string{"even"}}}
		}, false, "0 4 2 6"},
		{"from a place before", func(a *hand) replay.Query {
			return replay.Query{From: replay.Place{Position: schema.Position{At: a.at(1)}}}
		}, false, "1 4 5 2 3 6 7"},
		{"from a place after", func(a *hand) replay.Query {
			return replay.Query{From: replay.Place{Position: schema.Position{At: a.at(5)}}}
		}, false, "5 6 7"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.startSink()
			l := b.library(func(o *live.Options) { o.Timeout = bounded.Limit })
			a := b.hand(time.Second)
			a.send(0, false)
			a.send(2, false)
			b.stored(t, 2)
			ctx, cancel := context.WithTimeout(t.Context(), bounded.Limit)
			defer cancel()
			tape, err := l.Tape(ctx, ingest.DefaultTenant, "s")
			if err != nil {
				t.Fatal(err)
			}
			r, err := tape.Read(ctx, tc.query(a))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			var got []string
			sent := false
			for {
				frames, err := r.Next(ctx)
				for i := range frames {
					got = append(got, strconv.FormatUint(frames[i].Seq, 10))
				}
				if errors.Is(err, replay.ErrLive) && !sent {
					sent = true
					late := *a
					if tc.stored {
						late.b = benchOn(t, localtest.NATS(t))
						late.b.dsn = b.dsn
						late.b.startSink()
					}
					late.send(1, false)
					if tc.stored {
						late.b.stored(t, 1)
					}
					a.send(0, false) // resent
					a.send(3, true)
				} else if errors.Is(err, io.EOF) {
					break
				} else if err != nil && !errors.Is(err, replay.ErrLive) {
					t.Fatal(err)
				}
			}
			if text := strings.Join(got, " "); text != tc.want {
				t.Errorf("got  %s\nwant %s", text, tc.want)
			}
		})
	}
}
