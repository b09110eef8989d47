package replay_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/replay"
	"tapedeck/replay/replaytest"
)

// deck runs a player and steers it, within a bubble.
type deck struct {
	t      *testing.T
	player *replay.Player
	out    *log
	over   chan error
	stop   func()
}

// StateChanged implements replay.StateSink.
func (l *log) StateChanged(op replay.Op, s replay.State) error {
	l.note(fmt.Sprintf("state %s: %s at %s x%s", op, s.State, s.Offset, s.Speed))
	return nil
}

func newDeck(t *testing.T, tape replay.Tape, opts replay.Options) *deck {
	d := &deck{t: t, out: newLog(), over: make(chan error, 1)}
	d.player = replay.New(tape, d.out, opts)
	ctx, stop := context.WithCancel(t.Context())
	d.stop = func() {
		synctest.Wait()
		stop()
	}
	go func() {
		defer stop()
		_, err := d.player.Run(ctx)
		d.over <- err
	}()
	return d
}

// at lets time run up to ms after the start.
func (d *deck) at(ms int) *deck {
	d.t.Helper()
	time.Sleep(time.Until(d.out.start.Add(time.Duration(ms) * time.Millisecond)))
	synctest.Wait()
	return d
}

// do has the player obey and notes its answer among the frames.
func (d *deck) do(c replay.Command) *deck {
	d.t.Helper()
	answered := make(chan struct{})
	err := d.player.Control(d.t.Context(), c, func(s replay.State, err error) error {
		defer close(answered)
		d.out.note(fmt.Sprintf("%s at %s x%s", s.State, s.Offset, s.Speed))
		var refused *replay.CommandError
		if errors.As(err, &refused) {
			d.out.note("refused: " + refused.Error())
		}
		return nil
	})
	if err != nil {
		d.out.note(err.Error())
		return d
	}
	<-answered
	return d
}

func (d *deck) end(want ...string) {
	d.t.Helper()
	if err := <-d.over; err != nil && !errors.Is(err, context.Canceled) {
		d.t.Error(err)
	}
	d.out.expect(d.t, want...)
}

func mark(t *testing.T, s string) replay.Mark {
	t.Helper()
	m, err := replay.ParseMark(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestControls(t *testing.T) {
	pause, resume := replay.Command{Op: replay.Pause}, replay.Command{Op: replay.Resume}
	step := replay.Command{Op: replay.Step}
	speed := func(s replay.Speed) replay.Command { return replay.Command{Op: replay.SetSpeed, Speed: s} }
	for _, tc := range []struct {
		name  string
		opts  replay.Options
		steer func(t *testing.T, d *deck)
		want  []string
	}{
		{
			"pause keeps the rest of the gap", replay.Options{},
			func(t *testing.T, d *deck) { d.at(40).do(pause).at(1000).do(pause).at(5000).do(resume) },
			[]string{
				"0 a", "40 paused at 40ms x1", "1000 paused at 40ms x1", "5000 playing at 40ms x1",
				"5060 b", "5060 c", "14960 d",
			},
		},
		{
			"speed changes within a gap", replay.Options{},
			func(t *testing.T, d *deck) { d.at(1100).do(speed(2)).at(2100).do(speed(replay.Max)) },
			[]string{"0 a", "100 b", "100 c", "1100 playing at 1.1s x2", "2100 playing at 100ms xmax", "2100 d"},
		},
		{
			"speed while paused", replay.Options{},
			func(t *testing.T, d *deck) { d.at(40).do(pause).do(speed(0.5)).at(100).do(resume) },
			[]string{
				"0 a", "40 paused at 40ms x1", "40 paused at 40ms x0.5", "100 playing at 40ms x0.5",
				"220 b", "220 c", "20020 d",
			},
		},
		{
			"step", replay.Options{},
			func(t *testing.T, d *deck) {
				two := step
				two.Frames = 2
				d.at(10).do(step).at(500).do(two).at(600).do(resume)
			},
			[]string{
				"0 a", "10 b", "10 paused at 100ms x1", "500 c", "500 d", "500 paused at 10s x1", "600 playing at 10s x1",
			},
		},
		{
			"step over the end, and back", replay.Options{IdleLimit: time.Second},
			func(t *testing.T, d *deck) {
				many := step
				many.Frames = 100
				d.at(10).do(many).at(20).do(replay.Command{Op: replay.Seek, To: mark(t, "+5s")}).at(30).do(resume)
			},
			[]string{
				"0 a", "10 b", "10 c", "10 d", "10 ended at 10s x1",
				"20 paused at 5s x1", "30 playing at 5s x1", "1030 d",
			},
		},
		{
			"seek while playing", replay.Options{},
			func(t *testing.T, d *deck) {
				d.at(50).do(replay.Command{Op: replay.Seek, To: mark(t, "+9s")})
				d.at(60).do(replay.Command{Op: replay.Seek, To: mark(t, "+0s")})
				d.at(70).do(replay.Command{Op: replay.Seek, To: mark(t, "+1h")})
			},
			[]string{"0 a", "50 playing at 9s x1", "60 playing at 0s x1", "60 a", "70 playing at 10s x1"},
		},
		{
			"refused", replay.Options{Speed: replay.Max},
			func(t *testing.T, d *deck) {
				d.do(pause).do(speed(5000)).do(replay.Command{Op: "rewind"})
				d.do(replay.Command{Op: replay.Seek, To: mark(t, "1.019b7d3c-ffff-7000-8000-000000000000.0")})
				d.do(replay.Command{Op: replay.Seek, To: mark(t, "type:nothing")})
				d.do(replay.Command{Op: replay.SetMark, To: mark(t, "1.019b7d3c-ffff-7000-8000-000000000000.0")}).do(resume)
			},
			[]string{
				"0 paused at 0s xmax",
				"0 paused at 0s xmax", "0 refused: speed 5000 is not a number from 0.1 to 1000, or max",
				"0 paused at 0s xmax", `0 refused: there is no control "rewind"`,
				"0 paused at 0s xmax", `0 refused: place "1.019b7d3c-ffff-7000-8000-000000000000.0": its stream is not one of this session`,
				"0 paused at 0s xmax", `0 refused: place "type:nothing": the session has no such frame from there on`,
				"0 paused at 0s xmax", `0 refused: place "1.019b7d3c-ffff-7000-8000-000000000000.0": its stream is not one of this session`,
				"0 playing at 0s xmax", "0 a", "0 b", "0 c", "0 d",
			},
		},
		{
			"steps back", replay.Options{},
			func(t *testing.T, d *deck) {
				back := func(n int64) replay.Command { return replay.Command{Op: replay.Step, Frames: -n} }
				d.at(200).do(back(1)).at(300).do(step).do(back(2)).do(back(9)).do(back(1)).at(400).do(resume)
			},
			[]string{
				"0 a", "100 b", "100 c", "200 paused at 100ms x1", "300 c", "300 paused at 100ms x1",
				"300 paused at 0s x1", "300 paused at 0s x1", "300 paused at 0s x1",
				"400 playing at 0s x1", "400 a", "500 b", "500 c", "10400 d",
			},
		},
		{
			"steps back too far", replay.Options{Speed: replay.Max, Hold: true},
			func(t *testing.T, d *deck) {
				d.at(1).do(replay.Command{Op: replay.Step, Frames: -replay.MostBack - 1})
				d.do(replay.Command{Op: replay.Step, Frames: math.MinInt64})
				d.do(replay.Command{Op: replay.Ask}).stop()
			},
			[]string{
				"0 a", "0 b", "0 c", "0 d", "0 state end: ended at 10s xmax",
				"1 ended at 10s xmax", "1 refused: no more than 10000 frames can be stepped back at once",
				"1 ended at 10s xmax", "1 refused: no more than 10000 frames can be stepped back at once",
				"1 ended at 10s xmax",
			},
		},
		{
			"silences cut while one lasts", replay.Options{},
			func(t *testing.T, d *deck) {
				idle := func(limit time.Duration) replay.Command {
					return replay.Command{Op: replay.SetIdle, Idle: limit}
				}
				d.at(50).do(idle(time.Minute)).at(3100).do(idle(2 * time.Second))
			},
			[]string{"0 a", "50 playing at 50ms x1", "100 b", "100 c", "3100 playing at 2.1s x1", "3100 d"},
		},
		{
			"a longer silence after a shorter one", replay.Options{IdleLimit: 3 * time.Second},
			func(t *testing.T, d *deck) { d.at(2100).do(replay.Command{Op: replay.SetIdle}) },
			[]string{"0 a", "100 b", "100 c", "2100 playing at 2.1s x1", "10000 d"},
		},
		{
			"a loop keeps its time over passes", replay.Options{Loop: true, Speed: 10},
			func(t *testing.T, d *deck) { d.at(2500).do(replay.Command{Op: replay.SetLoop}) },
			[]string{
				"0 a", "10 b", "10 c", "1000 d", "1000 state loop: playing at 0s x10", "1000 a", "1010 b", "1010 c", "2000 d",
				"2000 state loop: playing at 0s x10", "2000 a", "2010 b", "2010 c", "2500 playing at 5s x10", "3000 d",
			},
		},
		{
			"a loop does not spin", replay.Options{Loop: true, Speed: replay.Max},
			func(t *testing.T, d *deck) { d.at(150).do(replay.Command{Op: replay.SetLoop}) },
			[]string{
				"0 a", "0 b", "0 c", "0 d", "0 state loop: playing at 0s xmax", "100 a", "100 b", "100 c", "100 d",
				"100 state loop: playing at 0s xmax", "150 playing at 0s xmax", "200 a", "200 b", "200 c", "200 d",
			},
		},
		{
			"a loop over nothing ends", replay.Options{Loop: true, Filter: replay.Filter{Types: []string{"none"}}},
			func(t *testing.T, d *deck) {}, nil,
		},
		{
			"pauses at a marker", replay.Options{Marker: mark(t, "1767323045223456789.019b7d3c-0000-7000-8000-000000000000.1")},
			func(t *testing.T, d *deck) {
				d.at(500).do(replay.Command{Op: replay.SetMark}).do(resume)
			},
			[]string{
				"0 a", "100 b", "100 state marker: paused at 100ms x1",
				"500 paused at 100ms x1", "500 playing at 100ms x1", "500 c", "10400 d",
			},
		},
		{
			"ends at a marker", replay.Options{
				Marker: mark(t, "1767323045223456789.019b7d3c-0000-7000-8000-000000000000.1"), EndAtMarker: true,
			},
			func(t *testing.T, d *deck) {}, []string{"0 a", "100 b"},
		},
		{
			"stays at the end", replay.Options{Hold: true, Speed: 100},
			func(t *testing.T, d *deck) {
				d.at(200).do(resume).at(300).do(replay.Command{Op: replay.Seek, To: mark(t, "+9s")}).do(resume).at(400).stop()
			},
			[]string{
				"0 a", "1 b", "1 c", "100 d", "100 state end: ended at 10s x100", "200 playing at 10s x100",
				"200 state end: ended at 10s x100", "300 paused at 9s x100", "300 playing at 9s x100",
				"310 d", "310 state end: ended at 10s x100",
			},
		},
		{
			"after the end", replay.Options{Speed: 1000},
			func(t *testing.T, d *deck) { d.at(50).do(pause) },
			[]string{"0 a", "0.1 b", "0.1 c", "10 d", "50 the playback has ended"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tape := abc()
				if tc.name == "refused" {
					tape.Delay = time.Nanosecond // so that the first control comes before the first frame
				}
				d := newDeck(t, tape, tc.opts)
				tc.steer(t, d)
				d.end(tc.want...)
				if tape.Open() != 0 {
					t.Errorf("%d readers are still open", tape.Open())
				}
			})
		})
	}
}

// An answer that cannot be delivered ends the playback.
func TestAnswerFails(t *testing.T) {
	boom := errors.New("boom")
	synctest.Test(t, func(t *testing.T) {
		d := newDeck(t, abc(), replay.Options{})
		err := d.player.Control(t.Context(), replay.Command{Op: replay.Step, Frames: 3}, func(replay.State, error) error { return boom })
		if err != nil {
			t.Error(err)
		}
		if err := <-d.over; !errors.Is(err, boom) {
			t.Errorf("Run returned %v", err)
		}
	})
}

func TestMarks(t *testing.T) {
	tape := abc()
	for _, bad := range []string{"", "12", "+x", "+-3s", "type:", "-1", "1.2.3", "5s"} {
		if _, err := replay.ParseMark(bad); err == nil {
			t.Errorf("%q was taken for a place", bad)
		}
	}
	for text, offset := range map[string]time.Duration{
		"+1.5s": 1500 * time.Millisecond, " 2m": 2 * time.Minute, "+0s": 0, "+2000000h": 2000000 * time.Hour,
	} {
		p, err := mark(t, text).Start(t.Context(), tape)
		if err != nil || p.After || p.Position.At != replaytest.Start+int64(offset) {
			t.Errorf("%q is %+v, %v", text, p, err)
		}
	}
}

func TestSpeeds(t *testing.T) {
	for _, good := range []string{"0.1", "1", "2.5", "1000", "max", "1e2"} {
		s, err := replay.ParseSpeed(good)
		if err != nil {
			t.Error(err)
		}
		again, err := replay.ParseSpeed(s.String())
		if err != nil || again != s {
			t.Errorf("%q came back as %v, %v", good, again, err)
		}
	}
	for _, bad := range []string{"", "0", "0.09", "1001", "-1", "NaN", "Inf", "fast", "1x"} {
		if s, err := replay.ParseSpeed(bad); err == nil {
			t.Errorf("%q was taken for the speed %v", bad, s)
		}
	}
}
