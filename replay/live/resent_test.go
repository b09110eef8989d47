package live_test

import (
	"errors"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/replay/player"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// TestResumeBeforeResentBlock leaves a session at each of its frames and resumes there. A block
// that is stored and acknowledged was sent again, between blocks of another stream that are not
// stored: its frames are received once, on whichever side of the place they come.
func TestResumeBeforeResentBlock(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.startSink()
	first, other := b.hand(time.Second), b.hand(time.Second)
	first.send(0, false)
	first.send(1, true)
	other.send(0, false)
	b.stored(t, 3)
	b.stopSink()
	other.send(1, false)
	first.send(1, true)
	other.send(2, false)
	other.send(3, true)
	want := map[string]int{first.id: 4, other.id: 8}

	exact := 0
	for leave := 1; leave < 12; leave++ {
		l := b.library(nil)
		out := newSeen()
		out.stop = func(s *seen) error {
			if s.count == leave {
				return errStop
			}
			return nil
		}
		if _, err := follow(l, "s", out, player.Options{Speed: player.Max}, ""); !errors.Is(err, errStop) {
			t.Fatalf("left after %d frames: %v", leave, err)
		}
		if !out.exact {
			continue
		}
		exact++
		place := out.last
		out.stop = nil
		if _, err := follow(l, "s", out, player.Options{Speed: player.Max}, place); err != nil {
			t.Fatal(err)
		}
		if err := out.check(want); err != nil {
			t.Errorf("left after %d frames, resumed at %s: %v", leave, place, err)
		}
	}
	if exact < 3 {
		t.Errorf("%d places have a block, at least those of the last blocks should", exact)
	}
}

// TestResumeBeforeLateBlock resumes at a place after which two blocks of a stream have changed
// places: both are new, and the stream stays in order.
func TestResumeBeforeLateBlock(t *testing.T) {
	t.Parallel()
	for _, stored := range []bool{false, true} {
		b := newBench(t)
		first, other := b.hand(time.Second), b.hand(time.Second)
		first.send(0, false)
		other.send(0, false)
		l := b.library(nil)
		out := newSeen()
		out.stop = func(s *seen) error {
			if s.count == 4 {
				return errStop
			}
			return nil
		}
		if _, err := follow(l, "s", out, player.Options{Speed: player.Max}, ""); !errors.Is(err, errStop) {
			t.Fatal(err)
		}
		if !out.exact {
			t.Fatalf("the place %s has no block", out.last)
		}
		first.send(2, false)
		first.send(1, false)
		first.send(3, true)
		other.send(1, true)
		if stored {
			b.startSink()
			b.stored(t, 6)
		}
		place := out.last
		out.stop = nil
		if _, err := follow(l, "s", out, player.Options{Speed: player.Max}, place); err != nil {
			t.Fatal(err)
		}
		if err := out.check(map[string]int{first.id: 8, other.id: 4}); err != nil {
			t.Errorf("stored %t, resumed at %s: %v", stored, place, err)
		}
	}
}

// TestResumeAfterDistantBlocks resumes at a place whose nearest messages begin with a block that was
// resent: the blocks between it and the next one arrived long before. One of them is resent after
// the place, and its frames are not received again.
func TestResumeAfterDistantBlocks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.startSink()
	first, other := b.hand(time.Second), b.hand(time.Second)
	other.send(0, false)
	for n := range uint64(10) {
		first.send(n, false)
	}
	// More messages than are read before a place. None of them has a block of the session.
	const between = 2100
	foreign := block.AppendBundle(nil, []block.Entry{{Session: "foreign", Data: block.Encode(nil, &block.Block{
		Session: "foreign", State: schema.StreamState{StreamID: schema.NewStreamID(), Frames: 1, Ended: 1},
		Frames: []schema.Frame{{At: first.begin, Raw: []byte("foreign\n")}},
	}, block.S2)}})
	for range between {
		subject := ingest.Partition{}.BundleSubject(ingest.DefaultTenant, ingest.Bucket("s"))
		if _, err := b.js.Publish(t.Context(), subject, foreign); err != nil {
			t.Fatal(err)
		}
	}
	b.stored(t, 11+between)
	b.stopSink()
	first.send(2, false)
	first.send(10, false)
	other.send(1, false)

	l := b.library(nil)
	out := newSeen()
	out.stop = func(s *seen) error {
		if s.count == 26 {
			return errStop
		}
		return nil
	}
	if _, err := follow(l, "s", out, player.Options{Speed: player.Max}, ""); !errors.Is(err, errStop) {
		t.Fatal(err)
	}
	if !out.exact {
		t.Fatalf("the place %s has no block", out.last)
	}
	first.send(5, false)
	first.send(11, true)
	other.send(2, true)
	place := out.last
	out.stop = nil
	if _, err := follow(b.library(nil), "s", out, player.Options{Speed: player.Max}, place); err != nil {
		t.Fatal(err)
	}
	if err := out.check(map[string]int{first.id: 24, other.id: 6}); err != nil {
		t.Errorf("resumed at %s: %v", place, err)
	}
}
