package tapefile

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tapedeck/replay"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// All that was written comes back: bytes, times, flags, cuts, envelopes, states
// and facts, of several sessions.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	tapes := []*replaytest.Tape{awkward(r, 1, 20_000), awkward(r, 9, 3000), awkward(r, 200, 10)}
	f := open(t, write(t, tapes...))
	if err := f.Break(); err != nil {
		t.Fatal(err)
	}
	if got := f.Sessions(); !slices.Equal(got, []string{"s0", "s1", "s2"}) {
		t.Errorf("sessions %q", got)
	}
	for i, id := range f.Sessions() {
		got, err := read(t, f, id, replay.Query{})
		check(t, err)
		if err := same(got, tapes[i].Frames()); err != nil {
			t.Fatalf("session %s: %v", id, err)
		}
		var blocks []block.Block
		check(t, f.Facts(id, func(b *block.Block) error { blocks = append(blocks, *b); return nil }))
		if len(blocks) != 1 || !reflect.DeepEqual(blocks[0].Facts, facts()) || blocks[0].Session != id ||
			!reflect.DeepEqual(blocks[0].State, tapes[i].Streams()[0]) {
			t.Errorf("session %s: facts %+v", id, blocks)
		}
	}
	if _, err := f.Tape(t.Context(), "default", "none"); !errors.Is(err, replay.ErrNoSession) {
		t.Errorf("a session that is not there: %v", err)
	}
}

// A query returns what one over memory returns.
func TestQueries(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	tape := awkward(r, 5, 4000)
	f := open(t, write(t, tape))
	all := tape.Frames()
	for range 40 {
		q := replay.Query{From: replay.Place{Position: all[r.IntN(len(all))].Position(), After: r.IntN(2) == 0}}
		if r.IntN(2) == 0 {
			q.To = all[r.IntN(len(all))].Position()
		}
		if r.IntN(2) == 0 {
			q.From = replay.Place{Position: schema.Position{At: replaytest.Start + r.Int64N(3e9)}}
		}
		switch r.IntN(4) {
		case 0:
			q.Filter.Types = []string{"tool"}
		case 1:
			q.Filter.Directions, q.Filter.Bytes = []schema.Direction{schema.Send}, true
		}
		got, err := read(t, f, "s0", q)
		check(t, err)
		want, err := read(t, tape, replaytest.Session, q)
		check(t, err)
		if err := same(got, want); err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
	}
}

// Frames that do not come in order are refused, not lost.
func TestWriterWantsOrder(t *testing.T) {
	tape := awkward(rand.New(rand.NewPCG(5, 6)), 1, 20)
	all := tape.Frames()
	w, err := NewWriter(discard{})
	check(t, err)
	check(t, w.Begin("s", tape.Streams()))
	check(t, w.Add(&all[0]))
	if err := w.Add(&all[0]); err == nil {
		t.Error("the same frame was taken twice")
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// Records can be carried from file to file as they are.
func TestCopy(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	one, two := awkward(r, 3, 500), awkward(r, 2, 500)
	all := write(t, one, two)
	var b writeBuffer
	w, err := NewWriter(&b)
	check(t, err)
	s := NewScanner(newReader(all))
	for {
		rec, err := s.Next()
		if err != nil {
			break
		}
		check(t, w.Copy(rec))
	}
	check(t, w.Close())
	if !slices.Equal(b, all) {
		t.Errorf("a copy of %d bytes has %d, or others", len(all), len(b))
	}
}
