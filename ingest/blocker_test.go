package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// blocks makes a blocker, and a function that returns the blocks cut since its last call:
// "session: seqs" and, for each closed segment, "+session".
func blocks(t *testing.T, set Settings) (*blocker, func() []string) {
	set = set.withDefaults()
	d := &sender{}
	b := &blocker{settings: &set, position: &position{}, sender: d, tenant: "default", stream: testStream}
	return b, func() (list []string) {
		t.Helper()
		for _, q := range d.queue {
			blk, err := block.Decode(q.block.Data)
			if err != nil {
				t.Fatal(err)
			}
			text := blk.Session + ":"
			for _, f := range blk.Frames {
				text += fmt.Sprint(" ", f.Seq)
			}
			for _, l := range blk.Left {
				text += " +" + l.Session
			}
			list = append(list, text)
		}
		d.queue = nil
		return list
	}
}

func frameOf(seq uint64, size int) *schema.Frame {
	return &schema.Frame{Seq: seq, At: int64(seq), Raw: []byte(strings.Repeat("x", size))}
}

func TestBlockerFull(t *testing.T) {
	for _, c := range []struct {
		set    Settings
		frames int // that fill a block
	}{
		{Settings{BlockFrames: 3}, 3},
		{Settings{BlockBytes: 1000}, 10},
	} {
		b, cut := blocks(t, c.set)
		g := &segment{session: "s", state: schema.StreamState{StreamID: testStream}}
		for i := range c.frames {
			if b.full(g) {
				t.Errorf("%+v: full after %d frames, want %d", c.set, i, c.frames)
			}
			b.add(g, frameOf(uint64(i), 100))
		}
		if !b.full(g) {
			t.Errorf("%+v: not full after %d frames", c.set, c.frames)
		}
		b.cut(g)
		if got := cut(); len(got) != 1 || b.full(g) || g.waits() {
			t.Errorf("%+v: blocks %q", c.set, got)
		}
	}
}

// The watermark that a block carries is the lowest frame that waits in another one, or at
// which a segment was closed whose end waits.
func TestBlockerWaiting(t *testing.T) {
	b, cut := blocks(t, Settings{})
	state := schema.StreamState{StreamID: testStream}
	one, two, three := &segment{session: "1", state: state}, &segment{session: "2", state: state}, &segment{session: "3", state: state}
	for i, g := range []*segment{one, two, one, two} {
		b.add(g, frameOf(uint64(i), 1))
		b.position.taken = uint64(i) + 1
	}
	expect := func(waiting uint64, want ...string) {
		t.Helper()
		if got := cut(); b.waiting() != waiting || !slices.Equal(got, want) {
			t.Errorf("blocks %q, waiting from %d; want %q, %d", got, b.waiting(), want, waiting)
		}
	}
	expect(0)
	b.cut(one)
	expect(1, "1: 0 2")
	b.close(one) // at frame 4
	b.add(three, frameOf(4, 1))
	b.position.taken = 5
	expect(1)
	b.cut(two)
	expect(4, "2: 1 3 +1")
	b.close(two)
	b.cut(three)
	expect(5, "3: 4 +2")
	b.close(three)
	b.cutClosed()
	expect(5, "3: +3")
	b.cutClosed()
	expect(5)
}

// One block has a bounded number of ends; the others have blocks of their own.
func TestBlockerManyClosed(t *testing.T) {
	b, cut := blocks(t, Settings{})
	for i := range closedPerBlock + 1 {
		b.close(&segment{session: fmt.Sprint(i), state: schema.StreamState{StreamID: testStream}})
	}
	b.cutClosed()
	if got := cut(); len(got) != 2 || strings.Count(got[0], "+") != closedPerBlock || got[1] != "64: +64" {
		t.Errorf("blocks %q", got)
	}
}
