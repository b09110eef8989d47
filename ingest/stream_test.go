package ingest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// record opens a stream, records the lines and closes it.
func record(t *testing.T, set ingest.Settings, opts ingest.StreamOptions, lines ...string) (*ingesttest.Memory, ingest.Summary) {
	t.Helper()
	mem := &ingesttest.Memory{}
	t.Cleanup(mem.Wait)
	s := open(t, mem, set, opts)
	for i, line := range lines {
		if err := s.Record(t.Context(), line1(line, int64(i))); err != nil {
			t.Fatal(err)
		}
	}
	summary, err := s.Close(t.Context(), "eof")
	if err != nil {
		t.Fatal(err)
	}
	return mem, summary
}

func open(t *testing.T, p ingest.Publisher, set ingest.Settings, opts ingest.StreamOptions) *ingest.Stream {
	t.Helper()
	s, err := ingest.NewRecorder(p, set, nil).Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func line1(line string, at int64) *schema.Frame {
	return &schema.Frame{Raw: []byte(line + "\n"), At: 1763683200_000000000 + at}
}

func TestFramesComeOutAsTheyWentIn(t *testing.T) {
	var lines []string
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf(`{"session_id":"s%d","n":%d}`, i%3, i))
	}
	lines[500] = `{"cut off`
	mem, sum := record(t, ingest.Settings{BlockFrames: 7}, ingest.StreamOptions{}, lines...)
	if got := mem.Raw(sum.StreamID, schema.Receive); string(got) != strings.Join(lines, "\n")+"\n" {
		t.Error("the bytes are not those that were recorded")
	}
	for i, f := range mem.Frames(sum.StreamID) {
		if f.Seq != uint64(i) {
			t.Fatalf("frame %d has seq %d", i, f.Seq)
		}
		if bad := f.Flags.Has(schema.FlagNotJSON); bad != (i == 500) {
			t.Errorf("frame %d: flags %s", i, f.Flags)
		}
	}
	if want := []string{"s0", "s1", "s2"}; !slices.Equal(sum.Sessions, want) || sum.Frames != 1000 || sum.Counters.NotJSON != 1 {
		t.Errorf("summary %+v, want sessions %q and one frame that is not JSON", sum, want)
	}
}

func TestWhichSession(t *testing.T) {
	named := func(session string) string { return `{"session_id":"` + session + `"}` }
	cases := []struct {
		name  string
		user  string
		lines []string
		want  []string // the session of each frame; "" for the stream's own id
	}{
		{"the frames' own", "", []string{named("a"), named("a"), named("b")}, []string{"a", "a", "b"}},
		{"frames before the first name are buffered for it", "", []string{`{}`, `text`, named("a"), `{}`}, []string{"a", "a", "a", "a"}},
		{"a later id takes only the frames that carry it", "", []string{named("a"), named("b"), `{}`, named("a")}, []string{"a", "b", "a", "a"}},
		{"nobody names one", "", []string{`{}`, `x`, `{}`}, []string{"", "", ""}},
		{"the user's goes before all", "mine", []string{`{}`, named("a"), named("b")}, []string{"mine", "mine", "mine"}},
		{"an invalid id is escaped", "", []string{named(`x\u0000y`)}, []string{"~x%00y"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			mem, sum := record(t, ingest.Settings{}, ingest.StreamOptions{Session: c.user}, c.lines...)
			got := make([]string, len(c.lines))
			for _, b := range mem.Blocks() {
				for _, f := range b.Frames {
					got[f.Seq] = b.Session
				}
			}
			for i := range c.want {
				if c.want[i] == "" {
					c.want[i] = sum.StreamID
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("sessions %q, want %q", got, c.want)
			}
		})
	}
}

// The frames of a stream that never names a session are buffered for a bounded time.
func TestDetectionIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := &ingesttest.Memory{}
		s := open(t, mem, ingest.Settings{DetectFor: 300 * time.Millisecond}, ingest.StreamOptions{})
		began := time.Now()
		if err := s.Record(t.Context(), line1(`{"a":1}`, 0)); err != nil {
			t.Fatal(err)
		}
		for len(mem.Blocks()) == 0 {
			time.Sleep(time.Millisecond)
		}
		if d := time.Since(began); d < 300*time.Millisecond || d > 320*time.Millisecond {
			t.Errorf("buffered for %v, want 300 ms", d)
		}
		for i := range 300 { // and not by number
			if err := s.Record(t.Context(), line1(`{"a":1}`, int64(i))); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Close(t.Context(), "eof"); err != nil {
			t.Fatal(err)
		}
		mem.Wait()
	})
}

// A frame waits for its block no longer than the block's age.
func TestBlockAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := &ingesttest.Memory{}
		s := open(t, mem, ingest.Settings{BlockAge: 5 * time.Millisecond}, ingest.StreamOptions{Session: "s", Dialect: "generic"})
		for i := range 3 {
			if err := s.Record(t.Context(), line1(`{}`, int64(i))); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond)
			if got := len(mem.Blocks()); got != i+1 {
				t.Fatalf("after frame %d there are %d blocks", i, got)
			}
		}
		if _, err := s.Close(t.Context(), "eof"); err != nil {
			t.Fatal(err)
		}
		mem.Wait()
	})
}

// More sessions than a stream keeps open: closed ones are continued by new segments,
// and the segments add up.
func TestSegments(t *testing.T) {
	var lines []string
	for i := range 300 {
		lines = append(lines, fmt.Sprintf(`{"session_id":"s%d"}`, i%30))
	}
	mem, sum := record(t, ingest.Settings{Segments: 4}, ingest.StreamOptions{}, lines...)
	newest := map[string]map[uint64]schema.StreamState{}
	for _, b := range mem.Blocks() {
		for _, end := range append(b.Left, block.Left{Session: b.Session, State: b.State}) {
			segments := newest[end.Session]
			if segments == nil {
				segments = map[uint64]schema.StreamState{}
				newest[end.Session] = segments
			}
			if end.State.Version >= segments[end.State.FirstSeq].Version {
				segments[end.State.FirstSeq] = end.State
			}
		}
	}
	if len(newest) != 30 || len(mem.Frames(sum.StreamID)) != 300 {
		t.Fatalf("%d sessions, %d frames; want 30 and 300", len(newest), len(mem.Frames(sum.StreamID)))
	}
	for session, segments := range newest {
		var frames uint64
		for _, st := range segments {
			frames += st.Frames
			if st.Ended == 0 || st.EndReason == "" {
				t.Errorf("session %s: the segment from frame %d never ended", session, st.FirstSeq)
			}
		}
		if frames != 10 {
			t.Errorf("session %s: segments of %d frames in all, want 10", session, frames)
		}
	}
}

// A session whose frame makes a segment be evicted stays open itself, even if all
// others have facts to publish at that moment.
func TestSegmentInUseStays(t *testing.T) {
	mem := &ingesttest.Memory{}
	s := open(t, mem, ingest.Settings{Segments: 2}, ingest.StreamOptions{Dialect: "loom"})
	for i, line := range []string{chunkOf(0), chunkOf(1), unknownOf(2), unknownOf(2)} {
		if err := s.Record(t.Context(), line1(line, int64(i))); err != nil {
			t.Fatal(err)
		}
	}
	sum, err := s.Close(t.Context(), "eof")
	if err != nil {
		t.Fatal(err)
	}
	if st, _ := mem.State(sum.StreamID, "s2"); st.Frames != 2 {
		t.Errorf("session s2 is in pieces: %+v", st)
	}
}

// However few segments there may be, and whatever late facts need the room of the one
// in use, no frame is lost.
func TestFewSegments(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for limit := 1; limit < 5; limit++ {
		mem := &ingesttest.Memory{}
		s := open(t, mem, ingest.Settings{Segments: limit}, ingest.StreamOptions{Dialect: "loom"})
		const frames = 500
		at := int64(0)
		for range frames {
			line := chunkOf(random.IntN(limit + 4))
			if random.IntN(3) == 0 {
				line = unknownOf(random.IntN(limit + 4))
			}
			if at += random.Int64N(int64(300 * time.Millisecond)); random.IntN(10) == 0 {
				at += int64(2 * time.Second) // deferred facts are due
			}
			if err := s.Record(t.Context(), line1(line, at)); err != nil {
				t.Fatal(err)
			}
		}
		sum, err := s.Close(t.Context(), "eof")
		if err != nil {
			t.Fatal(err)
		}
		if got := len(mem.Frames(sum.StreamID)); got != frames || sum.Frames != frames {
			t.Errorf("%d segments: %d frames, %d in the summary, want %d", limit, got, sum.Frames, frames)
		}
	}
}

// chunkOf is a frame with a fact, of the session s<n>; unknownOf one without any.
func chunkOf(n int) string {
	return fmt.Sprintf(`{"session_id":"s%d","node_id":"s%[1]d-think-0","event_id":1,"type":"message_chunk","content":"x","id":"think"}`, n)
}

func unknownOf(n int) string {
	return fmt.Sprintf(`{"session_id":"s%d","node_id":"s%[1]d-think-0","event_id":1,"type":"unknown"}`, n)
}

// A closed segment of which all else was published ends in another
// session's block: none goes out for its end alone.
func TestNoBlockForAnEndAlone(t *testing.T) {
	mem := &ingesttest.Memory{}
	s := open(t, mem, ingest.Settings{Segments: 3}, ingest.StreamOptions{Dialect: "generic"})
	const sessions = 50
	for i := range sessions {
		if err := s.Record(t.Context(), line1(fmt.Sprintf(`{"session_id":"s%d"}`, i), int64(i))); err != nil {
			t.Fatal(err)
		}
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	sum, err := s.Close(t.Context(), "eof")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(mem.Blocks()); n != sessions+3 {
		t.Errorf("%d blocks, want one for each session and one more for each that was open at the end", n)
	}
	for i := range sessions {
		want := "left"
		if i >= sessions-3 {
			want = "eof"
		}
		st, ok := mem.State(sum.StreamID, fmt.Sprintf("s%d", i))
		if !ok || st.EndReason != want || st.Frames != 1 || st.FirstSeq != uint64(i) {
			t.Errorf("session s%d: %+v", i, st)
		}
	}
}

// The ack watermark never passes a frame that was not confirmed, and reaches the end.
func TestDurable(t *testing.T) {
	held := &holding{}
	var mu sync.Mutex
	var reported []uint64
	s := open(t, held, ingest.Settings{BlockFrames: 10}, ingest.StreamOptions{Dialect: "generic", Durable: func(next uint64) {
		mu.Lock()
		defer mu.Unlock()
		reported = append(reported, next)
	}})
	for i := range 100 {
		if err := s.Record(t.Context(), line1(fmt.Sprintf(`{"session_id":"s%d"}`, i%2), int64(i))); err != nil {
			t.Fatal(err)
		}
	}
	closed := make(chan error, 1)
	go func() {
		_, err := s.Close(context.Background(), "eof")
		closed <- err
	}()
	held.waitFor(t, 12) // ten full blocks, and the end of either session
	confirmed := map[uint64]bool{}
	for _, i := range []int{3, 1, 0, 2, 5, 4, 11, 10, 9, 8, 7, 6} {
		for _, seq := range held.confirm(i) {
			confirmed[seq] = true
		}
		mu.Lock()
		if len(reported) > 0 {
			for seq := range reported[len(reported)-1] {
				if !confirmed[seq] {
					t.Fatalf("%d frames are reported durable, but %d was not confirmed", reported[len(reported)-1], seq)
				}
			}
		}
		mu.Unlock()
	}
	if err := bounded.Receive(t, closed); err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(reported) || reported[len(reported)-1] != 100 {
		t.Errorf("reported %v: it must rise to 100", reported)
	}
}

func TestAbandonedBlocksFailTheStream(t *testing.T) {
	gone := errors.New("the disk is full")
	mem := &ingesttest.Memory{}
	mem.Abandon(gone)
	s := open(t, mem, ingest.Settings{}, ingest.StreamOptions{Session: "s", Dialect: "generic"})
	if err := s.Record(t.Context(), line1("{}", 0)); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context()); !errors.Is(err, gone) {
		t.Errorf("Flush: %v, want %v", err, gone)
	}
	if err := s.Record(t.Context(), line1("{}", 0)); !errors.Is(err, gone) {
		t.Errorf("Record after a lost block: %v, want %v", err, gone)
	}
	if _, err := s.Close(t.Context(), "eof"); !errors.Is(err, gone) {
		t.Errorf("Close: %v, want %v", err, gone)
	}
	bounded.Wait(t, mem.Wait)
}

func TestRefusedOptions(t *testing.T) {
	rec := ingest.NewRecorder(&ingesttest.Memory{}, ingest.Settings{}, nil)
	for want, opts := range map[string]ingest.StreamOptions{
		"control characters": {Session: "a\nb"},
		"256":                {Session: strings.Repeat("x", 300)},
		"UTF-8":              {Session: "\xff"},
		"generic":            {Dialect: "klingon"},
		"letters, digits":    {Tenant: "a.b"},
	} {
		if _, err := rec.Open(opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one that speaks of %q", opts, err, want)
		}
	}
}

// Frames stay as they were although the tap reuses its buffer at once.
func TestFramesAreCopied(t *testing.T) {
	mem := &ingesttest.Memory{}
	s := open(t, mem, ingest.Settings{}, ingest.StreamOptions{})
	buf := []byte("xxxxxxxxx\n")
	for i := range 20 {
		copy(buf, fmt.Sprintf(`{"n":%3d}`, i))
		if err := s.Record(t.Context(), &schema.Frame{Raw: buf, At: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Close(t.Context(), "eof"); err != nil {
		t.Fatal(err)
	}
	for i, f := range mem.Frames(s.ID()) {
		if want := fmt.Sprintf("{\"n\":%3d}\n", i); !bytes.Equal(f.Raw, []byte(want)) {
			t.Errorf("frame %d is %q, want %q", i, f.Raw, want)
		}
	}
	bounded.Wait(t, mem.Wait)
}

// A publisher that exerts backpressure for long fails nothing: Record returns its context's
// error, the frame was not taken, and all that was taken is published in the end.
func TestBackpressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := &ingesttest.Memory{}
		s := open(t, mem, ingest.Settings{BlockFrames: 4}, ingest.StreamOptions{Session: "s", Dialect: "generic"})
		mem.Stall()
		taken := 0
		for range 20 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			err := s.Record(ctx, line1(fmt.Sprintf(`{"n":%d}`, taken), int64(taken)))
			cancel()
			if err == nil {
				taken++
			} else if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
		}
		if taken == 0 || taken == 20 {
			t.Fatalf("%d of 20 frames were taken while the publisher stood still", taken)
		}
		mem.Resume()
		sum, err := s.Close(t.Context(), "eof")
		if err != nil {
			t.Fatal(err)
		}
		mem.Wait()
		frames := mem.Frames(sum.StreamID)
		if len(frames) != taken || sum.Frames != uint64(taken) {
			t.Fatalf("%d frames came out, the summary has %d, %d were taken", len(frames), sum.Frames, taken)
		}
		for i, f := range frames {
			if want := fmt.Sprintf("{\"n\":%d}\n", i); string(f.Raw) != want {
				t.Errorf("frame %d is %q, want %q", i, f.Raw, want)
			}
		}
	})
}

// The title from a segment's first frames stays, also if the segment made another be
// evicted.
func TestTitles(t *testing.T) {
	var lines []string
	for i := range 20 {
		lines = append(lines, fmt.Sprintf(`{"session_id":"s%d","event_id":1,"type":"run_start","run_id":"r","message":"question %d"}`, i, i))
	}
	mem, _ := record(t, ingest.Settings{Segments: 4}, ingest.StreamOptions{Dialect: "loom"}, lines...)
	titles := map[string]string{}
	for _, b := range mem.Blocks() {
		if b.State.Frames > 0 { // the end of its run has a segment of its own
			titles[b.Session] = b.State.Title
		}
	}
	for i := range 20 {
		if got, want := titles[fmt.Sprintf("s%d", i)], fmt.Sprintf("question %d", i); got != want {
			t.Errorf("session s%d: title %q, want %q", i, got, want)
		}
	}
}

// A stream that goes on after a restart keeps the session and the dialect that
// its first frames had settled.
func TestResume(t *testing.T) {
	mem := &ingesttest.Memory{}
	t.Cleanup(mem.Wait)
	s := open(t, mem, ingest.Settings{}, ingest.StreamOptions{})
	for i, l := range []string{`{"session_id":"a","event_id":1,"type":"run_start","run_id":"r"}`, `{"type":"node_enter","id":"think"}`} {
		if err := s.Record(t.Context(), line1(l, int64(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := open(t, mem, ingest.Settings{}, ingest.StreamOptions{Resume: &ingest.Resume{
		StreamID: s.ID(), NextSeq: 1, Settled: s.Settled(),
	}})
	if err := again.Record(t.Context(), line1(`{"type":"node_exit","id":"think","result":"Ok"}`, 5)); err != nil {
		t.Fatal(err)
	}
	sum, err := again.Close(t.Context(), "eof")
	if err != nil {
		t.Fatal(err)
	}
	if sum.StreamID != s.ID() || sum.Dialect != "loom" || !slices.Equal(sum.Sessions, []string{"a"}) {
		t.Errorf("went on as %+v, want stream %s in session a, loom", sum, s.ID())
	}
	if frames := mem.Frames(s.ID()); len(frames) != 2 || !strings.Contains(string(frames[1].Raw), "node_exit") {
		t.Errorf("frames %v: the frame recorded again must stand in place of the first", frames)
	}
	if _, err := s.Close(t.Context(), "closed"); err != nil {
		t.Fatal(err)
	}
}

// Buffered frames do not count as durable before their block is.
func TestBufferedFramesAreNotDurable(t *testing.T) {
	held := &holding{}
	var mu sync.Mutex
	var reported uint64
	s := open(t, held, ingest.Settings{BlockBytes: 32 << 10, BlockAge: time.Hour}, ingest.StreamOptions{Durable: func(next uint64) {
		mu.Lock()
		defer mu.Unlock()
		reported = next
	}})
	for i := range 256 {
		line := fmt.Sprintf(`{"n":%d,"x":"%s"}`, i, strings.Repeat("x", 700))
		if err := s.Record(t.Context(), line1(line, int64(i))); err != nil {
			t.Fatal(err)
		}
	}
	held.waitFor(t, 5)
	confirmed := uint64(len(held.confirm(0)))
	mu.Lock()
	if reported > confirmed || reported == 0 {
		t.Errorf("%d frames are reported durable, %d were confirmed", reported, confirmed)
	}
	mu.Unlock()
}

// A growing message is published now and then; its frames do not wait for that.
func TestFramesOfAGrowingMessageDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := &ingesttest.Memory{}
		const age = 5 * time.Millisecond
		s := open(t, mem, ingest.Settings{BlockAge: age}, ingest.StreamOptions{Dialect: "loom", Session: "s"})
		recorded := 0
		for range 300 {
			line := fmt.Sprintf(`{"session_id":"s","node_id":"n","event_id":%d,"type":"message_chunk","content":" word","id":"think"}`, recorded+1)
			if err := s.Record(t.Context(), line1(line, int64(recorded)*1e6)); err != nil {
				t.Fatal(err)
			}
			recorded++
			time.Sleep(time.Millisecond)
			synctest.Wait()
			if waiting := recorded - len(mem.Frames(s.ID())); waiting > 6 {
				t.Fatalf("after %d frames, one each millisecond, %d wait; blocks are to be cut after %v", recorded, waiting, age)
			}
		}
		if _, err := s.Close(t.Context(), "eof"); err != nil {
			t.Fatal(err)
		}
		mem.Wait()
	})
}

// What a message grew by is published a second later, also if nothing follows.
func TestEndOfAGrowingMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := &ingesttest.Memory{}
		s := open(t, mem, ingest.Settings{BlockAge: 5 * time.Millisecond}, ingest.StreamOptions{Dialect: "loom", Session: "s"})
		want := ""
		for n := range 10 {
			word := fmt.Sprintf(" %d", n)
			line := fmt.Sprintf(`{"session_id":"s","node_id":"n","event_id":%d,"type":"message_chunk","content":%q,"id":"think"}`, n+1, word)
			if err := s.Record(t.Context(), line1(line, int64(n)*10e6)); err != nil {
				t.Fatal(err)
			}
			want += word
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(1100 * time.Millisecond)
		synctest.Wait()
		reported := ""
		for _, b := range mem.Blocks() {
			for _, m := range b.Facts.Messages {
				reported = m.Text
			}
		}
		if reported != want {
			t.Errorf("published %q, want %q", reported, want)
		}
		blocks := len(mem.Blocks())
		time.Sleep(time.Minute)
		if more := len(mem.Blocks()) - blocks; more != 0 {
			t.Errorf("%d blocks while nothing came", more)
		}
		if _, err := s.Close(t.Context(), "eof"); err != nil {
			t.Fatal(err)
		}
		mem.Wait()
	})
}
