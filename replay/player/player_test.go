package player_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/replay"
	"tapedeck/replay/player"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// log is a Sink that notes what came when, as "<ms since its start> <bytes>".
type log struct {
	start time.Time
	lines []string
	err   error
}

func newLog() *log { return &log{start: time.Now()} }

func (l *log) Play(f *replay.Frame, from, to int) error {
	l.note(string(f.Raw[from:to]))
	return l.err
}

func (l *log) Flush() error { return nil }

func (l *log) note(what string) {
	ms := float64(time.Since(l.start)) / 1e6
	l.lines = append(l.lines, strings.TrimSuffix(fmt.Sprintf("%.1f", ms), ".0")+" "+what)
}

func (l *log) expect(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(l.lines, want) {
		t.Errorf("got  %q\nwant %q", l.lines, want)
	}
}

func abc() *replaytest.Tape {
	tape := &replaytest.Tape{}
	tape.Stream(schema.NDJSON, "").
		Add(0, "a").Add(100*time.Millisecond, "b").Add(100*time.Millisecond, "c").Add(10*time.Second, "d")
	return tape
}

func TestPlaysAtRecordedGaps(t *testing.T) {
	for _, tc := range []struct {
		name string
		opts player.Options
		want []string
	}{
		{"as recorded", player.Options{}, []string{"0 a", "100 b", "100 c", "10000 d"}},
		{"faster", player.Options{Speed: 10}, []string{"0 a", "10 b", "10 c", "1000 d"}},
		{"slower", player.Options{Speed: 0.1}, []string{"0 a", "1000 b", "1000 c", "100000 d"}},
		{"at once", player.Options{Speed: player.Max}, []string{"0 a", "0 b", "0 c", "0 d"}},
		{"silence cut", player.Options{IdleLimit: 2 * time.Second}, []string{"0 a", "100 b", "100 c", "2100 d"}},
		{"silence cut, then faster", player.Options{IdleLimit: 2 * time.Second, Speed: 2}, []string{"0 a", "50 b", "50 c", "1050 d"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := newLog()
				sum, err := player.New(abc(), out, tc.opts).Run(t.Context())
				if err != nil || sum.Frames != 4 || sum.Offset != 10*time.Second {
					t.Errorf("got %+v, %v", sum, err)
				}
				out.expect(t, tc.want...)
			})
		})
	}
}

func place(t *testing.T, tape replay.Tape, mark string) replay.Place {
	t.Helper()
	m, err := player.ParseMark(mark)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Start(t.Context(), tape)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFromAndTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := abc()
		at := func(i int) string { p := tape.Frames()[i].Position(); return p.String() }
		for _, tc := range []struct {
			name, from, to string
			after          bool
			want           []string
		}{
			{"offset: the clock starts there", "+4s", "", false, []string{"6000 d"}},
			{"offset of a frame", "+100ms", "", false, []string{"0 b", "0 c", "9900 d"}},
			{"position: its frame is the first", at(2), "", false, []string{"0 c", "9900 d"}},
			{"resumed after a position: the gap is kept", at(2), "", true, []string{"9900 d"}},
			{"resumed after the first", at(0), "", true, []string{"100 b", "100 c", "10000 d"}},
			{"resumed at the end", at(3), "", true, nil},
			{"beyond the end", "+1h", "", false, nil},
			{"to an offset, which counts", "+0s", "+100ms", false, []string{"0 a", "100 b", "100 c"}},
			{"to a position, which counts", "+0s", at(1), false, []string{"0 a", "100 b"}},
		} {
			opts := player.Options{From: place(t, tape, tc.from)}
			opts.From.After = tc.after
			if tc.to != "" {
				m, err := player.ParseMark(tc.to)
				if err != nil {
					t.Fatal(err)
				}
				if opts.To, err = m.Stop(t.Context(), tape, opts.From); err != nil {
					t.Fatal(err)
				}
			}
			out := newLog()
			if _, err := player.New(tape, out, opts).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			t.Log(tc.name)
			out.expect(t, tc.want...)
		}
	})
}

func TestFilters(t *testing.T) {
	typed := func(typ, agent string, d schema.Direction) func(*schema.Frame) {
		return func(f *schema.Frame) { f.Type, f.Agent, f.Direction = typ, agent, d }
	}
	note := func(over schema.Transport) func(*schema.Frame) {
		return func(f *schema.Frame) { f.Transport, f.Flags = over, schema.FlagNote }
	}
	tape := &replaytest.Tape{}
	tape.Stream(schema.WebSocket, "").
		Add(0, "a", typed("run", "", schema.Send)).
		Add(time.Second, "b", typed("text", "x", schema.Receive)).
		Add(2*time.Second, "c", typed("tool", "x", schema.Receive)).
		Add(3*time.Second, "d", typed("text", "y", schema.Receive)).
		Add(4*time.Second, "gone", note(schema.WebSocket)).
		Add(5*time.Second, "head", note(schema.HTTP)).
		Add(6*time.Second, ": ping", note(schema.SSE)).
		Add(7*time.Second, "body", func(f *schema.Frame) { f.Transport = schema.HTTP })
	for _, tc := range []struct {
		filter replay.Filter
		want   []string
	}{
		{replay.Filter{Types: []string{"text", "run"}}, []string{"0 a", "1000 b", "3000 d"}},
		{replay.Filter{Types: []string{"tool"}}, []string{"2000 c"}},
		{replay.Filter{Agents: []string{"x"}}, []string{"1000 b", "2000 c"}},
		{replay.Filter{Directions: []schema.Direction{schema.Send}}, []string{"0 a"}},
		{replay.Filter{Bytes: true}, []string{"0 a", "1000 b", "2000 c", "3000 d", "6000 : ping", "7000 body"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			out := newLog()
			if _, err := player.New(tape, out, player.Options{Filter: tc.filter}).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			out.expect(t, tc.want...)
		})
	}
}

// A frame that came in several reads is played read by read where that is asked
// for, but never before the frame that comes before it, of whatever stream.
func TestReads(t *testing.T) {
	cuts := func(c ...schema.Cut) func(*schema.Frame) { return func(f *schema.Frame) { f.Cuts = c } }
	tape := &replaytest.Tape{}
	tape.Stream(schema.SSE, "").
		Add(0, "ab").
		Add(300*time.Millisecond, "cdef",
			cuts(schema.Cut{Offset: 1, At: replaytest.Start + 100e6}, schema.Cut{Offset: 3, At: replaytest.Start + 250e6})).
		Add(400*time.Millisecond, "gh")
	tape.Stream(schema.SSE, "").Add(200*time.Millisecond, "x")
	synctest.Test(t, func(t *testing.T) {
		out := newLog()
		if _, err := player.New(tape, out, player.Options{Reads: true}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		out.expect(t, "0 ab", "200 x", "200 c", "250 de", "300 f", "400 gh")

		out = newLog()
		if _, err := player.New(tape, out, player.Options{}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		out.expect(t, "0 ab", "200 x", "300 cdef", "400 gh")
	})
}

// What a tape takes to open is not caught up with a burst.
func TestSlowTapeShiftsTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := abc()
		tape.Delay = 50 * time.Millisecond
		out := newLog()
		if _, err := player.New(tape, out, player.Options{}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		out.expect(t, "50 a", "150 b", "150 c", "10050 d")
	})
}

func TestFailures(t *testing.T) {
	boom := errors.New("boom")
	synctest.Test(t, func(t *testing.T) {
		tape := abc()
		tape.FailAfter, tape.Err = 2, boom
		out := newLog()
		sum, err := player.New(tape, out, player.Options{}).Run(t.Context())
		if !errors.Is(err, boom) || sum.Frames != 2 {
			t.Errorf("tape: got %+v, %v", sum, err)
		}
		out = newLog()
		out.err = boom
		sum, err = player.New(abc(), out, player.Options{}).Run(t.Context())
		if !errors.Is(err, boom) || sum.Frames != 0 {
			t.Errorf("sink: got %+v, %v", sum, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		sum, err = player.New(tape, newLog(), player.Options{Speed: 0.1}).Run(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || sum.Frames != 1 {
			t.Errorf("context: got %+v, %v", sum, err)
		}
		if tape.Open() != 0 {
			t.Errorf("%d readers are still open", tape.Open())
		}
	})
}

// canceller ends the context while a frame is being played.
type canceller struct {
	cancel func()
	seen   []string
}

func (c *canceller) Play(f *replay.Frame, _, _ int) error {
	c.cancel()
	synctest.Wait() // whoever wants to do something about it has done so
	c.seen = append(c.seen, string(f.Raw))
	return nil
}

func (c *canceller) Flush() error { return nil }

// A frame is the sink's until Play returns, whatever ends meanwhile.
func TestFrameOutlivesContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		out := &canceller{cancel: cancel}
		sum, err := player.New(abc(), out, player.Options{}).Run(ctx)
		if !errors.Is(err, context.Canceled) || sum.Frames != 1 || !slices.Equal(out.seen, []string{"a"}) || sum.Last.StreamID == "" {
			t.Errorf("got %+v, %v, saw %q", sum, err, out.seen)
		}
	})
}

// After an hour of frames at uneven gaps, and of short pauses, the last one
// comes when it is due to the nanosecond: nothing adds up.
func TestNoDrift(t *testing.T) {
	tape := &replaytest.Tape{Batch: 100}
	s := tape.Stream(schema.NDJSON, "")
	at, n := time.Duration(0), 0
	for ; at < time.Hour; n++ {
		s.Add(at, "x")
		at += time.Duration(1 + (n*7919)%1_999_999_973)
	}
	s.Add(time.Hour, "last")
	synctest.Test(t, func(t *testing.T) {
		out := &last{}
		p := player.New(tape, out, player.Options{})
		start := time.Now()
		go func() {
			for range 59 {
				time.Sleep(59_999_999_999) // virtual time: just before the next minute
				for _, op := range []player.Op{player.Pause, player.Ask, player.Resume} {
					err := p.Control(t.Context(), player.Command{Op: op}, func(player.State, error) error { return nil })
					if err != nil {
						t.Error(err)
					}
				}
			}
		}()
		sum, err := p.Run(t.Context())
		if err != nil || sum.Frames != uint64(n)+1 {
			t.Errorf("played %d of %d frames, %v", sum.Frames, n+1, err)
		}
		if drift := out.at.Sub(start) - time.Hour; drift != 0 {
			t.Errorf("after an hour the last frame is %v off", drift)
		}
	})
}

// last is a Sink that notes when the last frame came.
type last struct{ at time.Time }

func (l *last) Play(*replay.Frame, int, int) error {
	l.at = time.Now()
	return nil
}

func (l *last) Flush() error { return nil }

// slow is a Sink that takes its time for every frame.
type slow struct {
	each time.Duration
	seen int
}

func (s *slow) Play(*replay.Frame, int, int) error {
	s.seen++
	time.Sleep(s.each) // virtual time: the client takes so long
	return nil
}

func (s *slow) Flush() error { return nil }

// A sink that is slower than the tape paces it, up to the limit.
func TestLagLimit(t *testing.T) {
	tape := &replaytest.Tape{}
	s := tape.Stream(schema.NDJSON, "")
	for i := range 100 {
		s.Add(time.Duration(i)*100*time.Millisecond, "x")
	}
	for name, tc := range map[string]struct {
		each   time.Duration
		opts   player.Options
		frames uint64 // 0 for all, and no error
	}{
		"fast enough":            {99 * time.Millisecond, player.Options{LagLimit: time.Second}, 0},
		"no limit":               {time.Minute, player.Options{}, 0},
		"nothing is due":         {time.Minute, player.Options{LagLimit: time.Second, Speed: player.Max}, 0},
		"100 ms late each":       {200 * time.Millisecond, player.Options{LagLimit: time.Second}, 11},
		"late at twice the pace": {100 * time.Millisecond, player.Options{LagLimit: time.Second, Speed: 2}, 21},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := &slow{each: tc.each}
				sum, err := player.New(tape, out, tc.opts).Run(t.Context())
				lag, slow := errors.AsType[*player.LagError](err)
				switch {
				case tc.frames == 0 && (err != nil || sum.Frames != 100):
					t.Errorf("got %+v, %v", sum, err)
				case tc.frames > 0 && (!slow || lag.Lag <= time.Second || sum.Frames != tc.frames || sum.Last != tape.Frames()[tc.frames-1].Position()):
					t.Errorf("got %+v, %v", sum, err)
				}
			})
		})
	}
}
