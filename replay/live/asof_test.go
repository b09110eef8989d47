package live_test

import (
	"context"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/bounded"
	"tapedeck/replay"
	"tapedeck/replay/live"
)

// asOf returns how long after the first frame all frames are known.
func asOf(t replay.Growing) time.Duration { return time.Duration(t.AsOf() - replay.FirstAt(t)) }

// What was recorded a minute before it came says nothing of the minute: only the
// silence since then counts, and only while a reader would receive a block.
func TestAsOf(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	l := b.library(func(o *live.Options) { o.Silence = 2 * time.Minute })
	h := b.hand(time.Minute)
	sent := time.Now()
	h.send(0, false)
	tape, err := l.Tape(context.Background(), ingest.DefaultTenant, "s")
	if err != nil {
		t.Fatal(err)
	}
	growing := tape.(replay.Growing)
	const edge = time.Millisecond // the second frame
	if got := asOf(growing); got != edge {
		t.Errorf("before anybody reads: %s, want %s", got, edge)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, err := tape.Read(ctx, replay.Query{From: replay.Place{}})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			if _, err := r.Next(ctx); err != nil && err != replay.ErrLive {
				return
			}
		}
	}()
	defer func() {
		cancel()
		bounded.Receive(t, done)
		_ = r.Close()
	}()
	bounded.Until(t, "time to pass", func() bool { return asOf(growing) > edge })
	first := asOf(growing)
	if most := edge + time.Since(sent); first > most {
		t.Errorf("got %s, which is more than %s", first, most)
	}
	bounded.Until(t, "more time to pass", func() bool { return asOf(growing) > first+time.Second })
	h.send(1, true)
	bounded.Until(t, "the end", func() bool { return growing.Edge() > replay.FirstAt(tape)+int64(edge) })
	if got := asOf(growing); got != 3*time.Millisecond {
		t.Errorf("after the end: %s, want the last frame's 3ms", got)
	}
}
