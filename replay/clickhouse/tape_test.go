package clickhouse

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/internal/fulltest"
	"tapedeck/replay"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// drain reads all frames of a query, and clones them.
func drain(t testing.TB, tape replay.Tape, q replay.Query) ([]replay.Frame, error) {
	t.Helper()
	r, err := tape.Read(t.Context(), q)
	if err != nil {
		return nil, err
	}
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
			return all, errors.New("Next returned neither frames nor an error")
		}
		for _, f := range frames {
			f.Raw = append([]byte(nil), f.Raw...)
			for _, s := range []*string{&f.Type, &f.Session, &f.Run, &f.Node, &f.Agent, &f.EventID} {
				*s = strings.Clone(*s)
			}
			all = append(all, f)
		}
	}
}

// same reports where two lists of frames differ.
func same(got, want []replay.Frame, bare bool) error {
	for i := range min(len(got), len(want)) {
		g, w := got[i].Frame, want[i].Frame
		if bare {
			w.Envelope = schema.Envelope{}
		}
		if len(g.Raw) == 0 && len(w.Raw) == 0 {
			g.Raw, w.Raw = nil, nil
		}
		if got[i].Stream.StreamID != want[i].Stream.StreamID || !reflect.DeepEqual(g, w) {
			return fmt.Errorf("frame %d is %s %+v, want %s %+v", i, got[i].Stream.StreamID, g, want[i].Stream.StreamID, w)
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d frames, want %d", len(got), len(want))
	}
	return nil
}

// overlapping returns a session of several streams of very different lengths, some at the
// same time, some after another, some with numbers left out.
func overlapping(r *rand.Rand) *replaytest.Tape {
	tape := &replaytest.Tape{}
	types := []string{"", "text", "tool", "it's \\ a\ttype"}
	for range 12 {
		s := tape.Stream(schema.Transport(r.IntN(4)), "loom")
		at := time.Duration(r.IntN(2000)) * time.Millisecond
		n := []int{1, 3, 200, 256, 257, 3000}[r.IntN(6)]
		gaps := r.IntN(2) == 0
		for range n {
			s.Add(at, strings.Repeat("x", r.IntN(80)), func(f *schema.Frame) {
				f.Type, f.Agent, f.Run = types[r.IntN(len(types))], types[r.IntN(2)], fmt.Sprint("run", f.Seq/100)
				f.Node, f.EventID, f.Session = fmt.Sprint("n", f.Seq/10), fmt.Sprint(f.Seq), "own"
				f.Direction, f.Flags = schema.Direction(r.IntN(2)), schema.Flags(r.IntN(1<<12))
				if r.IntN(20) == 0 && len(f.Raw) > 2 {
					f.Cuts = []schema.Cut{{Offset: 1, At: f.At - 5000}, {Offset: 2, At: f.At - 7}}
				}
			})
			at += time.Duration(r.IntN(3)) * time.Millisecond
			if gaps && r.IntN(50) == 0 {
				s.Skip(uint64(r.IntN(1000)))
			}
		}
	}
	return tape
}

// What is read is what was recorded, wherever reading starts and ends, however
// the rows lie in parts, and however often they were inserted.
func TestTapeGivesWhatWasRecorded(t *testing.T) {
	fulltest.Long(t)
	db := shared(t)
	want := overlapping(rand.New(rand.NewPCG(1, 2)))
	// Other sessions have the same streams' frames; another tenant a session of
	// the same name.
	db.record("default", "s", want, func(i int, _ *replay.Frame) bool { return i%3 != 1 })
	db.record("default", "s", want, func(i int, _ *replay.Frame) bool { return i%3 != 0 })
	db.record("default", "s", want, func(i int, _ *replay.Frame) bool { return i < 500 })
	db.record("default", "other", overlapping(rand.New(rand.NewPCG(3, 4))), nil)
	db.record("tenant", "s", overlapping(rand.New(rand.NewPCG(5, 6))), nil)

	// Streams that have not ended are read in another way.
	running := overlapping(rand.New(rand.NewPCG(9, 10)))
	running.Running = true
	db.record("default", "running", running, nil)
	small := few(rand.New(rand.NewPCG(11, 12)))
	db.record("default", "small", small, nil)
	if n := db.count("SELECT count() FROM frames WHERE tenant = 'default' AND session_id = 's'"); n <= uint64(len(want.Frames())) {
		t.Fatalf("%d rows: no row is there twice", n)
	}
	for _, tc := range []struct {
		session string
		want    *replaytest.Tape
		opts    Options
		queries int
	}{
		{"s", want, Options{}, 30},
		{"s", want, Options{PageBytes: 1, Connections: 1}, 5},
		{"running", running, Options{}, 10},
		{"s", want, Options{Cache: newCache(t, 0)}, 60},
		{"running", running, Options{Cache: newCache(t, 0)}, 20},
		{"small", small, Options{Cache: newCache(t, 0)}, 60},
	} {
		tape, err := db.open(tc.opts).Tape(t.Context(), "default", tc.session)
		if err != nil {
			t.Fatal(err)
		}
		if err := sameStreams(tape.Streams(), tc.want.Streams()); err != nil {
			t.Error(err)
		}
		random := rand.New(rand.NewPCG(7, 8))
		for range tc.queries {
			q := drawQuery(random, tc.want)
			wanted, err := drain(t, tc.want, q)
			if err != nil {
				t.Fatal(err)
			}
			got, err := drain(t, tape, q)
			if err == nil {
				err = same(got, wanted, q.Bare)
			}
			if err != nil {
				t.Errorf("%s, %+v: %v", tc.session, q, err)
			}
		}
	}
}

func sameStreams(got, want []schema.StreamState) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d streams, want %d", len(got), len(want))
	}
	for i, g := range got {
		w := want[i]
		if g.StreamID != w.StreamID || g.FirstAt != w.FirstAt || g.LastAt != w.LastAt || g.Frames != w.Frames ||
			g.Ended != w.Ended || g.Dialect != w.Dialect || g.Transport != w.Transport {
			return fmt.Errorf("stream %d is %+v, want %+v", i, g, w)
		}
	}
	return nil
}

func drawQuery(r *rand.Rand, tape *replaytest.Tape) replay.Query {
	frames := tape.Frames()
	half := func() bool { return r.IntN(2) == 0 }
	pos := func() schema.Position {
		p := frames[r.IntN(len(frames))].Position()
		switch r.IntN(4) {
		case 0: // a time
			return schema.Position{At: p.At}
		case 1: // a time when nothing happened
			return schema.Position{At: p.At + 1}
		}
		return p
	}
	var q replay.Query
	if half() {
		q.From = replay.Place{Position: pos(), After: half()}
	}
	if half() {
		q.To = pos()
	}
	q.Bare, q.Few = half(), half()
	if half() {
		q.Filter.Types = [][]string{nil, {""}, {"text", "none"}, {"it's \\ a\ttype"}}[r.IntN(4)]
		q.Filter.Agents = [][]string{nil, {""}, {"text"}}[r.IntN(3)]
		q.Filter.Directions = [][]schema.Direction{nil, {schema.Send}, {schema.Send, schema.Receive}}[r.IntN(3)]
		q.Filter.Bytes = half()
	}
	return q
}

func TestUnknownSessions(t *testing.T) {
	db := shared(t)
	tape := &replaytest.Tape{}
	tape.Stream(schema.NDJSON, "").Add(0, "{}\n")
	db.record("a", "s", tape, nil)
	store := db.open(Options{})
	for _, who := range [][2]string{{"a", "t"}, {"b", "s"}, {"", ""}, {"a", "s' OR '1'='1"}} {
		if _, err := store.Tape(t.Context(), who[0], who[1]); !errors.Is(err, replay.ErrNoSession) {
			t.Errorf("session %q of %q: %v", who[1], who[0], err)
		}
	}
	if _, err := store.Tape(t.Context(), "a", "s"); err != nil {
		t.Error(err)
	}
}

// Frames of unexpected size do not fill the memory: a page ends with the block
// that brings it over its limit, and the server makes blocks of 10 MiB at most
// (index_granularity_bytes).
func TestHugeFrames(t *testing.T) {
	db := shared(t)
	want := &replaytest.Tape{}
	s := want.Stream(schema.NDJSON, "")
	for i := range 600 { // small ones first, so that large ones are not expected
		s.Add(time.Duration(i)*time.Millisecond, "small")
	}
	for i := range 48 {
		s.Add(time.Second+time.Duration(i)*time.Millisecond, strings.Repeat(string(rune('A'+i)), 1<<20))
	}
	db.record("default", "s", want, func(i int, _ *replay.Frame) bool { return i < 600 })
	db.record("default", "s", want, func(i int, _ *replay.Frame) bool { return i >= 600 })
	db.exec("ALTER TABLE streams UPDATE bytes = 6000 WHERE 1 SETTINGS mutations_sync = 2")
	store := db.open(Options{PageBytes: 2 << 20})
	tape, err := store.Tape(t.Context(), "default", "s")
	if err != nil {
		t.Fatal(err)
	}
	r, err := tape.Read(t.Context(), replay.Query{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for at := 0; ; {
		frames, err := r.Next(t.Context())
		if errors.Is(err, io.EOF) && at == len(want.Frames()) {
			return
		}
		if err != nil {
			t.Fatalf("after %d frames: %v", at, err)
		}
		bytes := 0
		for i := range frames {
			bytes += len(frames[i].Raw)
		}
		if bytes > 14<<20 {
			t.Errorf("%d bytes at once", bytes)
		}
		if err := same(frames, want.Frames()[at:at+len(frames)], false); err != nil {
			t.Fatalf("from frame %d on: %v", at, err)
		}
		at += len(frames)
	}
}

// Values reach the server as they are.
func TestParameters(t *testing.T) {
	db := shared(t)
	store := db.open(Options{})
	for _, s := range []string{
		"plain", "a'b", `a\b`, `a\'b\\`, "t\tn\nr\r0\x00b\bf\fv\v", "äöü€\U0001F600", "\xff\xfe", `\N`, "'); DROP TABLE frames --",
		"[x]", "{session:String}", "", "a,b",
	} {
		var one, first, last proto.ColStr
		var p parameters
		p.text("x", s)
		p.texts("y", []string{s, "z", s})
		err := store.do(t.Context(), ch.Query{
			Body: "SELECT {x:String}, {y:Array(String)}[1], {y:Array(String)}[3]", Parameters: p,
			Result: proto.Results{{Data: &one}, {Data: &first}, {Data: &last}},
		}, nil)
		if err != nil || one.Row(0) != s || first.Row(0) != s || last.Row(0) != s {
			t.Errorf("%q: %v", s, err)
		}
	}
}
