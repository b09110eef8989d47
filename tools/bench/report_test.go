package bench

import (
	"strings"
	"testing"
	"time"
)

// Whether a bar is reached follows from the figures.
func TestBarsAreComputed(t *testing.T) {
	lap := func(rate float64) Laps {
		return Laps{{Frames: uint64(rate), Bytes: uint64(rate), Took: time.Second}}
	}
	e2e := func(rate float64) *whole { return &whole{passes: []pass{{run: lap(rate)[0]}}} }
	delays := func(d time.Duration) *delay {
		return &delay{paces: []*pace{{rate: 20_000, query: Delays{d}, live: Delays{d}}}}
	}
	for _, c := range []struct {
		name string
		part part
		want []string
	}{
		{"slow", e2e(199_999), []string{"not reached", "not reached"}},
		{"as fast as it must be", e2e(200_000), []string{"reached", "not reached"}},
		{"as fast as it is to be", e2e(350_000), []string{"reached", "reached"}},
		{"nothing", &whole{}, []string{"not measured", "not measured"}},
		{"publish", &publishStage{ours: lap(50), raw: lap(100)}, []string{"reached"}},
		{"publish, slow", &publishStage{ours: lap(49), raw: lap(100)}, []string{"not reached"}},
		{"sink", &sinkStage{ours: lap(25), alone: lap(100)}, []string{"reached"}},
		{"sink, slow", &sinkStage{ours: lap(24), alone: lap(100)}, []string{"not reached"}},
		{"disk", &disk{sink: &sinkStage{columns: []column{{"raw", 11}, {"seq", 4}}}}, []string{"reached"}},
		{"disk, much", &disk{sink: &sinkStage{columns: []column{{"raw", 11}, {"seq", 4.1}}}}, []string{"not reached"}},
		{"disk, nothing", &disk{sink: &sinkStage{}}, []string{"not measured"}},
		{"delay", delays(25 * time.Millisecond), []string{"reached", "reached"}},
		{"delay, late", delays(26 * time.Millisecond), []string{"not reached", "reached"}},
		{"proxy", &proxied{chunks: []chunkDelay{
			{direct: Delays{1e5}, proxy: Delays{2e5}}, {direct: Delays{1e5}, proxy: Delays{4e5}}, // the worse counts
		}}, []string{"not reached", "reached"}},
		{"streams", &streams{
			idle: idleStreams{streams: 10_000, after: 400e6, known: true}, busy: busyStreams{streams: 1000, sent: 10, stored: 10},
		}, []string{"reached", "reached"}},
		{"streams, bad", &streams{
			idle: idleStreams{streams: 10_000, after: 401e6, known: true}, busy: busyStreams{streams: 1000, sent: 10, stored: 9},
		}, []string{"not reached", "not reached"}},
		{"streams, too few", &streams{
			idle: idleStreams{streams: 9_999, after: 1, known: true}, busy: busyStreams{streams: 999, sent: 10, stored: 10},
		}, []string{"not measured", "not measured"}},
		{"playing", &playing{
			alone: Delays{2e6}, many: crowdPlayed{sessions: 1000, late: Delays{5e6}, most: 1000 * 100 << 10, known: true},
			event: lap(2e5), raw: lap(9e5), // the slower counts
		}, []string{"reached", "not reached", "reached", "reached", "reached", "not reached", "not measured", "not measured"}},
		{"playing, long", &playing{
			event: Laps{{Frames: 1e6, Bytes: 1, Took: 2 * time.Second}}, raw: Laps{{Frames: 1e6, Bytes: 1, Took: 6 * time.Second}},
		}, []string{"not measured", "not measured", "not measured", "not measured", "not measured", "not measured", "not reached", "not reached"}},
		{"openings", &openings{stored: 1e7, long: 1e6, open: Delays{3e7}, later: Delays{3.1e7}, offset: Delays{1}, seek: Delays{5e7}},
			[]string{"reached", "not reached", "reached"}},
		{"openings, few frames", &openings{stored: 1e6, long: 1e5, open: Delays{1}, seek: Delays{1}},
			[]string{"not measured", "not measured", "not measured"}},
		{"drift, ahead", &drift{length: 10 * time.Minute, late: Delays{3e6, 0, 0, 0, 0, 0, 0, 0, 0, 0}}, []string{"not reached"}},
		{"drift, short", &drift{length: time.Minute, late: make(Delays, 10)}, []string{"not measured"}},
		{"peer", &peer{ours: *e2e(100_000), frames: 8_000, publish: time.Second, store: time.Second}, []string{"reached"}},
		{"peer, fast", &peer{ours: *e2e(100_000), frames: 8_002, publish: time.Second, store: time.Second}, []string{"not reached"}},
		{"peer, none", &peer{}, []string{"not measured"}},
	} {
		var got []string
		for _, b := range c.part.bars() {
			got = append(got, b.verdict())
		}
		if strings.Join(got, ", ") != strings.Join(c.want, ", ") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// What was not measured is said to be so, with every bar listed.
func TestReportOfNothing(t *testing.T) {
	var text strings.Builder
	if err := (&Report{Frames: 1, Bytes: 1, parts: parts()}).Write(&text); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text.String(), "Not measured in this run."); n != len(Names()) {
		t.Errorf("%d of %d parts are said to be missing", n, len(Names()))
	}
	if n := strings.Count(text.String(), "| not measured |"); n != 26 || strings.Contains(text.String(), "reached |") {
		t.Errorf("%d bars are said to be open:\n%s", n, text.String())
	}
}
