package ingest_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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
	s, err := ingest.NewRecorder(p, set).Open(opts)
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
			time.Sleep(time.Millisecond) // virtual time: between two looks at the blocks
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
			time.Sleep(20 * time.Millisecond) // virtual time: longer than BlockAge
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

// What the other side said at the end is stored without its secrets.
func TestEndReasonIsMasked(t *testing.T) {
	secret := "gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a"
	for _, end := range []func(*ingest.Stream, string) error{
		func(s *ingest.Stream, reason string) error { _, err := s.Close(t.Context(), reason); return err },
		func(s *ingest.Stream, reason string) error { _, err := s.Interrupt(t.Context(), reason); return err },
	} {
		mem := &ingesttest.Memory{}
		s := open(t, mem, ingest.Settings{}, ingest.StreamOptions{Session: "x"})
		if err := s.Record(t.Context(), &schema.Frame{Transport: schema.WebSocket, Raw: []byte(`{"text":"hello"}`)}); err != nil {
			t.Fatal(err)
		}
		if err := end(s, "error: closed with 1008 Incorrect API key: "+secret); err != nil {
			t.Fatal(err)
		}
		reason := ""
		for _, b := range mem.Blocks() {
			reason = b.State.EndReason
		}
		if want := "error: closed with 1008 Incorrect API key: [redacted:github-token#1]"; reason != want {
			t.Errorf("the stream ended by %q, want %q", reason, want)
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

func TestRefusedOptions(t *testing.T) {
	rec := ingest.NewRecorder(&ingesttest.Memory{}, ingest.Settings{})
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

// A session without a message of the user has the first words of its answer as its title, and one
// in which nothing is said the title of its stream.
func TestTitleWithoutAQuestion(t *testing.T) {
	answer := []string{
		`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`,
		`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"The build\nis "}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"green."}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`,
	}
	for want, lines := range map[string][]string{"The build is green.": answer, "run.ndjson": {`{"n":1}`}} {
		mem, _ := record(t, ingest.Settings{}, ingest.StreamOptions{Title: "run.ndjson"}, lines...)
		blocks := mem.Blocks()
		if got := blocks[len(blocks)-1].State.Title; got != want {
			t.Errorf("the title is %q, want %q", got, want)
		}
	}
}

// A session's state has what its frames stated last of each limit of the account, for 16 names at
// most; the others are counted.
func TestUsageLimits(t *testing.T) {
	line := func(second int, id string, percent int) string {
		return fmt.Sprintf(`{"timestamp":"2026-01-01T00:00:%02d.000Z","type":"event_msg","payload":{"type":"token_count","info":null,"rate_limits":{"limit_id":%q,"primary":{"used_percent":%d}}}}`,
			second, id, percent)
	}
	lines := []string{
		`{"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"s","cwd":"/w"}}`,
		line(1, "codex", 5), line(2, "codex", 7),
	}
	for i := range 40 {
		lines = append(lines, line(3, fmt.Sprintf("model-%02d", i), i))
	}
	before := ingest.CountedLimit("usage-limits")
	mem, _ := record(t, ingest.Settings{}, ingest.StreamOptions{FrameClock: true}, lines...)
	blocks := mem.Blocks()
	got := schema.ReadLimits(blocks[len(blocks)-1].State.Limits)
	if len(got) != schema.MaxLimits || got[0].Name != "primary" || *got[0].UsedPercent != 7 || got[15].Name != "model-14/primary" {
		t.Errorf("%+v", got)
	}
	if want := time.Date(2026, 1, 1, 0, 0, 2, 0, time.UTC).UnixNano(); got[0].At != want {
		t.Errorf("stated at %d, want %d", got[0].At, want)
	}
	if n := ingest.CountedLimit("usage-limits") - before; n != 25 {
		t.Errorf("%v limits were left out, want 25", n)
	}
}
