package ingest

import (
	"slices"
	"testing"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// newTestSegmenter makes a segmenter, a function that adds a frame of a session, and one that lists
// the blocks (see blocks).
func newTestSegmenter(t *testing.T, opts StreamOptions, set Settings) (s *segmenter, add func(named string), cut func() []string) {
	set = set.withDefaults()
	b, cut := blocks(t, set)
	s = &segmenter{
		opts: &opts, settings: &set, position: b.position, emitter: dialect.NewEmitter(testStream), blocks: b,
		wake: &wakeup{ended: true}, summary: &Summary{}, segments: newSegments(set.Segments), reread: newReread(&opts, &set),
		template: schema.StreamState{StreamID: testStream},
	}
	return s, func(named string) {
		f := frameOf(s.position.next, 10)
		f.Session = named
		s.position.next++
		s.position.taken++
		s.add(f, 0)
	}, cut
}

func TestSegmenterSessions(t *testing.T) {
	s, add, cut := newTestSegmenter(t, StreamOptions{}, Settings{})
	add("")
	s.setSession("a")
	s.setSession("z") // the first stands
	add("")
	add("b")
	add("a")
	s.cutWaiting(false)
	if got, want := cut(), []string{testStream + ": 0", "b: 2", "a: 1 3"}; !slices.Equal(got, want) {
		t.Errorf("blocks %q, want %q", got, want)
	}
	if want := []string{testStream, "a", "b"}; !slices.Equal(s.summary.Sessions, want) || s.summary.LastSession != "b" {
		t.Errorf("summary %+v", s.summary)
	}
	s, add, cut = newTestSegmenter(t, StreamOptions{Session: "mine"}, Settings{})
	add("")
	add("b")
	s.cutWaiting(false)
	if got := cut(); !slices.Equal(got, []string{"mine: 0 1"}) {
		t.Errorf("blocks %q with a session that the user named", got)
	}
}

func TestSegmenterCountsAndEnds(t *testing.T) {
	s, add, _ := newTestSegmenter(t, StreamOptions{}, Settings{})
	add("a")
	f := frameOf(1, 10)
	f.Session, f.Flags = "a", schema.FlagNotJSON
	s.position.next, s.position.taken = 2, 2
	s.add(f, 3)
	g := s.use("a")
	s.end(7, "eof", "")
	want := schema.StreamState{
		StreamID: testStream, FirstAt: 0, LastAt: 1, Frames: 2, Bytes: 20, Ended: 7, EndReason: "eof",
		Counters: schema.Counters{NotJSON: 1, Lost: 3}, Version: 2*2 + 1,
	}
	if g.state.Counters != want.Counters || g.state.Frames != want.Frames || g.state.Bytes != want.Bytes ||
		g.state.LastAt != want.LastAt || g.state.Ended != want.Ended || g.state.Version != want.Version {
		t.Errorf("state %+v, want %+v", g.state, want)
	}
	if s.summary.Counters != want.Counters {
		t.Errorf("summary %+v", s.summary.Counters)
	}
}

// The least recently used segment is closed. Its end goes out with another block; a frame
// of its session opens another segment.
func TestSegmenterEvicts(t *testing.T) {
	s, add, cut := newTestSegmenter(t, StreamOptions{}, Settings{Segments: 2})
	for _, session := range []string{"a", "b", "a"} {
		add(session)
	}
	s.cutWaiting(false)
	cut()
	add("c")
	s.cutWaiting(false)
	if got, want := cut(), []string{"c: 3 +b"}; !slices.Equal(got, want) {
		t.Errorf("blocks %q, want %q", got, want)
	}
	add("b")
	if g := s.use("b"); g.state.FirstSeq != 4 || g.state.Frames != 1 {
		t.Errorf("segment %+v", g.state)
	}
}

// A fact of a session whose segment was closed goes into a segment without frames, which
// has a FirstSeq of its own.
func TestSegmenterLateFact(t *testing.T) {
	s, add, cut := newTestSegmenter(t, StreamOptions{}, Settings{Segments: 1})
	add("a")
	add("b")
	cut()
	s.emitter.Say(schema.MessageReply, "m", []byte("done"), frameOf(0, 0)).Session = "a"
	s.cutWaiting(false)
	if got, want := cut(), []string{"b: 1", "a:"}; !slices.Equal(got, want) {
		t.Errorf("blocks %q, want %q", got, want)
	}
	if g := s.use("a"); g == nil || g.state.FirstSeq != 2 || g.state.Frames != 0 {
		t.Errorf("segment %+v", g)
	}
}

// Frames that were published before a restart are counted, and not published again.
func TestSegmenterRereads(t *testing.T) {
	opts := StreamOptions{Resume: &Resume{StreamID: testStream, NextSeq: 2, Again: true, Attempt: 1}}
	s, add, cut := newTestSegmenter(t, opts, Settings{})
	add("a")
	s.cutWaiting(false)
	if !s.rereading() || len(cut()) != 0 {
		t.Error("a block was cut of what was published")
	}
	add("a")
	if s.rereading() {
		t.Error("still rereading after the last frame that was published")
	}
	s.cutAll(false) // as by Reopen
	if got, want := cut(), []string{"a:"}; !slices.Equal(got, want) {
		t.Errorf("blocks %q, want %q", got, want)
	}
	add("a")
	s.cutWaiting(false)
	if got, want := cut(), []string{"a: 2"}; !slices.Equal(got, want) {
		t.Errorf("blocks %q, want %q", got, want)
	}
	if g := s.use("a"); g.state.Frames != 3 || g.state.Version != 1<<schema.AttemptShift|2*3 {
		t.Errorf("state %+v", g.state)
	}
}
