package dataset

import (
	"crypto/sha256"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect"
	"tapedeck/query/pricing/prices"
	"tapedeck/schema"
)

// The facts that the dialect reads from the frames equal the facts from which the frames were made,
// and a session that two taps recorded has each fact under one id.
func TestFactsAreThoseOfTheFrames(t *testing.T) {
	o, err := Options{Frames: 200_000, Seed: 5}.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	c, err := newRecorder()
	if err != nil {
		t.Fatal(err)
	}
	e, p := newExpected(), &pricer{prices.With(nil)}
	var w writer
	var parser ingest.Parser
	for n := range o.Sessions {
		s := o.plan(n)
		w.write(s)
		if err := e.session(s, &w, p, 0); err != nil {
			t.Fatal(err)
		}
		for i := range w.frames {
			f := w.frames[i]
			parser.Parse(&f, func(in *dialect.Input) {
				if in.JSON == nil {
					t.Fatalf("session %d: frame %d is no JSON: %s", n, i, f.Raw)
				}
			})
		}
		streams := []string{s.stream}
		if s.again != "" {
			streams = append(streams, s.again)
		}
		ids := map[string]bool{}
		for _, stream := range streams {
			b := c.record(s, stream, w.frames, 0)
			if (b.State.Counters != schema.Counters{}) || b.State.Title == "" {
				t.Errorf("session %d: counters %+v, title %q", n, b.State.Counters, b.State.Title)
			}
			if len(b.Facts.Usages) != len(w.calls) {
				t.Fatalf("session %d: %d usages of %d calls", n, len(b.Facts.Usages), len(w.calls))
			}
			for i := range b.Facts.Usages {
				u, call := &b.Facts.Usages[i], &w.calls[i]
				ids[u.ID] = true
				if u.Tokens != call.Tokens || u.Model != call.Model.Name || u.Provider != call.Model.Provider || u.At != call.At {
					t.Errorf("session %d: usage %+v of call %+v", n, u, call)
				}
			}
		}
		if len(ids) != len(w.calls) {
			t.Errorf("session %d, %d streams: %d usages of %d calls", n, len(streams), len(ids), len(w.calls))
		}
	}
	for _, c := range []struct {
		what     string
		want, is float64
	}{
		{"frames", float64(o.Frames), float64(e.Frames)}, {"calls", float64(o.Calls), float64(e.Total.Calls)},
	} {
		t.Logf("%s: %.0f, asked for %.0f", c.what, c.is, c.want)
		if c.is < 0.95*c.want || c.is > 1.15*c.want {
			t.Errorf("%.0f %s, asked for about %.0f", c.is, c.what, c.want)
		}
	}
}

// The same session of the same options is the same, in whatever order sessions are made.
func TestSessionsAreTheSame(t *testing.T) {
	o, err := Options{Frames: 100_000, Seed: 9}.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	hashes := func(order func(int) int) []string {
		list := make([]string, 100)
		var w writer
		for i := range list {
			s := o.plan(order(i))
			w.write(s)
			sum := sha256.Sum256(append([]byte(s.stream), w.raw...))
			list[order(i)] = string(sum[:])
		}
		return list
	}
	one, two := hashes(func(i int) int { return i }), hashes(func(i int) int { return 99 - i })
	for i := range one {
		if one[i] != two[i] {
			t.Errorf("session %d differs", i)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{Frames: -1}, {Frames: 100, Sessions: 100, Calls: 10}, {Frames: 100, Sessions: 50, Calls: 50}} {
		if _, err := o.WithDefaults(); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}
