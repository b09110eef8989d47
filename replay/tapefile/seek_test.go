package tapefile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tapedeck/replay"
	"tapedeck/schema"
)

// In a file of a million frames any place is at hand in a moment.
func TestSeek(t *testing.T) {
	if testing.Short() {
		t.Skip("writes a million frames")
	}
	const frames = 1_000_000
	path := filepath.Join(t.TempDir(), "big.tape")
	out, err := os.Create(path)
	check(t, err)
	defer out.Close()
	stream := &schema.StreamState{
		StreamID: "019b7d3c-0000-7000-8000-000000000000", FirstAt: 1, LastAt: frames * 1000, Frames: frames, Version: 2*frames + 1,
		Ended: frames * 1000, Dialect: "loom",
	}
	w, err := NewWriter(out)
	check(t, err)
	check(t, w.Begin("big", []schema.StreamState{*stream}))
	began := time.Now()
	var raw []byte
	for i := range frames {
		raw = fmt.Appendf(raw[:0], `{"type":"message_chunk","event_id":%d,"run_id":"run-1","content":{"text":"word %x"},"node_id":"node-%d"}`+"\n", i, i*2654435761, i/1000)
		f := replay.Frame{Stream: stream, Frame: schema.Frame{
			Seq: uint64(i), At: int64(i) * 1000, Raw: raw,
			Envelope: schema.Envelope{Type: "message_chunk", EventID: fmt.Sprint(i), Run: "run-1", Node: fmt.Sprint("node-", i/1000)},
		}}
		check(t, w.Add(&f))
	}
	check(t, w.Close())
	size, _ := w.Written()
	t.Logf("%d frames written in %v, %.1f bytes each", frames, time.Since(began), float64(size)/frames)
	var took []time.Duration
	for i := range 20 {
		want := int64(i) * frames / 20
		began := time.Now()
		f, err := Open(path, Options{})
		check(t, err)
		tape, err := f.Tape(t.Context(), "", "big")
		check(t, err)
		r, err := tape.Read(t.Context(), replay.Query{From: replay.Place{Position: schema.Position{At: want * 1000}}})
		check(t, err)
		got, err := r.Next(t.Context())
		check(t, err)
		took = append(took, time.Since(began))
		if got[0].Seq != uint64(want) {
			t.Errorf("from frame %d on comes frame %d", want, got[0].Seq)
		}
		r.Close()
		f.Close()
	}
	f, err := Open(path, Options{})
	check(t, err)
	defer f.Close()
	tape, err := f.Tape(t.Context(), "", "big")
	check(t, err)
	began = time.Now()
	r, err := tape.Read(t.Context(), replay.Query{})
	check(t, err)
	n := 0
	for {
		got, err := r.Next(t.Context())
		if err != nil {
			break
		}
		n += len(got)
	}
	all := time.Since(began)
	slices.Sort(took)
	place := took[len(took)/2]
	t.Logf("all %d frames read in %v; a place, opening included, took %v, the slowest %v", n, all, place, took[len(took)-1])
	if place > all/5 { // on a busy machine both take longer
		t.Errorf("a place took %v, all %v", place, all)
	}
	if n != frames {
		t.Errorf("%d frames were read", n)
	}
}
