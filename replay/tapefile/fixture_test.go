package tapefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"tapedeck/replay"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// awkward returns a session of streams that overlap, with all that a frame can have:
// bytes that are no text, cuts, flags, both directions, numbers left out.
func awkward(r *rand.Rand, streams, most int) *replaytest.Tape {
	tape := &replaytest.Tape{}
	raws := []string{"", "\n", "\xef\xbb\xbf{}\n", "{\"nul\":\"\x00\"}\r\n", "\xff\xfe", "data: x\ndata: y\n\n", strings.Repeat("long ", 3000)}
	for range streams {
		s := tape.Stream(schema.Transport(r.IntN(4)), "loom")
		at := time.Duration(r.IntN(1000)) * time.Millisecond
		for i := range 1 + r.IntN(most) {
			at += time.Duration(r.IntN(3)) * 1_234_567
			if r.IntN(50) == 0 {
				s.Skip(uint64(r.IntN(5)))
			}
			raw := fmt.Sprintf("{\"n\":%d}\n", i)
			if r.IntN(8) == 0 {
				raw = raws[r.IntN(len(raws))]
			}
			s.Add(at, raw, func(f *schema.Frame) {
				f.Direction, f.Flags = schema.Direction(r.IntN(2)), schema.Flags(r.IntN(1<<12))
				f.Envelope = schema.Envelope{
					Type: []string{"", "text", "tool"}[r.IntN(3)], Session: "own", Run: "run", Node: "n", Agent: "a",
					EventID: fmt.Sprint(i),
				}
				if r.IntN(10) == 0 && len(raw) > 3 {
					f.Cuts = []schema.Cut{{Offset: 1, At: f.At - 1000}, {Offset: 3, At: f.At - 1}}
				}
			})
		}
	}
	return tape
}

// facts are some of each kind.
func facts() block.Facts {
	fact := schema.Fact{ID: "tool:1", Run: "r", Node: "n", Agent: "a", SeenAt: replaytest.Start, SeenSeq: 1, Version: 7}
	return block.Facts{
		Spans:    []schema.Span{{Fact: fact, Kind: schema.SpanTool, Name: "search", Status: schema.StatusOK, Started: 5, Ended: 6}},
		Messages: []schema.Message{{Fact: fact, Kind: schema.MessageAssistant, Text: "hello", ChunkAt: []int64{5, 9}, ChunkEnd: []uint32{2, 5}}},
		Usages:   []schema.Usage{{Fact: fact, Scope: "call", Mode: schema.UsageAdd, Tokens: schema.Tokens{Input: 3, Output: 4}, Raw: "{}"}},
	}
}

// write makes a file of sessions, named s0, s1 and so on.
func write(t testing.TB, tapes ...*replaytest.Tape) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b)
	check(t, err)
	for i, tape := range tapes {
		check(t, w.Begin(fmt.Sprintf("s%d", i), tape.Streams()))
		for _, f := range tape.Frames() {
			check(t, w.Add(&f))
		}
		check(t, w.Facts([]block.Block{{State: tape.Streams()[0], Facts: facts()}}))
	}
	check(t, w.Close())
	return b.Bytes()
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open opens a file with this content.
func open(t testing.TB, content []byte) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.tape")
	check(t, os.WriteFile(path, content, 0o600))
	f, err := Open(path, Options{})
	check(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// read returns all frames of a query, cloned.
func read(t testing.TB, l replay.Library, id string, q replay.Query) ([]replay.Frame, error) {
	t.Helper()
	tape, err := l.Tape(t.Context(), "default", id)
	if err != nil {
		return nil, err
	}
	r, err := tape.Read(t.Context(), q)
	check(t, err)
	defer r.Close()
	var all []replay.Frame
	for {
		frames, err := r.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		if len(frames) == 0 {
			t.Fatal("Next returned neither frames nor an error")
		}
		for _, f := range frames {
			f.Raw = bytes.Clone(f.Raw)
			f.Type, f.EventID = strings.Clone(f.Type), strings.Clone(f.EventID)
			f.Session, f.Run, f.Node, f.Agent = strings.Clone(f.Session), strings.Clone(f.Run), strings.Clone(f.Node), strings.Clone(f.Agent)
			all = append(all, f)
		}
	}
}

// same reports where frames are not those that are wanted.
func same(got, want []replay.Frame) error {
	for i := range min(len(got), len(want)) {
		g, w := got[i].Frame, want[i].Frame
		if len(g.Raw) == 0 && len(w.Raw) == 0 {
			g.Raw, w.Raw = nil, nil
		}
		if !reflect.DeepEqual(g, w) || !reflect.DeepEqual(got[i].Stream, want[i].Stream) {
			return fmt.Errorf("frame %d is\n%+v of %+v, want\n%+v of %+v", i, g, got[i].Stream, w, want[i].Stream)
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d frames, want %d", len(got), len(want))
	}
	return nil
}
