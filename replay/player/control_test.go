package player_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/replay"
	"tapedeck/replay/player"
	"tapedeck/replay/replaytest"
)

// deck runs a player and steers it, within a bubble.
type deck struct {
	t      *testing.T
	player *player.Player
	out    *log
	over   chan error
	stop   func()
}

// StateChanged implements player.StateSink.
func (l *log) StateChanged(op player.Op, s player.State) error {
	l.note(fmt.Sprintf("state %s: %s at %s x%s", op, s.State, s.Offset, s.Speed))
	return nil
}

func newDeck(t *testing.T, tape replay.Tape, opts player.Options) *deck {
	d := &deck{t: t, out: newLog(), over: make(chan error, 1)}
	d.player = player.New(tape, d.out, opts)
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
	time.Sleep(time.Until(d.out.start.Add(time.Duration(ms) * time.Millisecond))) // virtual time
	synctest.Wait()
	return d
}

// do has the player obey and notes its answer among the frames.
func (d *deck) do(c player.Command) *deck {
	d.t.Helper()
	answered := make(chan struct{})
	err := d.player.Control(d.t.Context(), c, func(s player.State, err error) error {
		defer close(answered)
		d.out.note(fmt.Sprintf("%s at %s x%s", s.State, s.Offset, s.Speed))
		var refused *player.CommandError
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

func mark(t *testing.T, s string) player.Mark {
	t.Helper()
	m, err := player.ParseMark(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestControls(t *testing.T) {
	pause, resume := player.Command{Op: player.Pause}, player.Command{Op: player.Resume}
	step := player.Command{Op: player.Step}
	speed := func(s player.Speed) player.Command { return player.Command{Op: player.SetSpeed, Speed: s} }
	for _, tc := range []struct {
		name  string
		opts  player.Options
		steer func(t *testing.T, d *deck)
		want  []string
	}{
		{
			"pause keeps the rest of the gap", player.Options{},
			func(t *testing.T, d *deck) { d.at(40).do(pause).at(1000).do(pause).at(5000).do(resume) },
			[]string{
				"0 a", "40 paused at 40ms x1", "1000 paused at 40ms x1", "5000 playing at 40ms x1",
				"5060 b", "5060 c", "14960 d",
			},
		},
		{
			"speed changes within a gap", player.Options{},
			func(t *testing.T, d *deck) { d.at(1100).do(speed(2)).at(2100).do(speed(player.Max)) },
			[]string{"0 a", "100 b", "100 c", "1100 playing at 1.1s x2", "2100 playing at 100ms xmax", "2100 d"},
		},
		{
			"speed while paused", player.Options{},
			func(t *testing.T, d *deck) { d.at(40).do(pause).do(speed(0.5)).at(100).do(resume) },
			[]string{
				"0 a", "40 paused at 40ms x1", "40 paused at 40ms x0.5", "100 playing at 40ms x0.5",
				"220 b", "220 c", "20020 d",
			},
		},
		{
			"step", player.Options{},
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
			"step over the end, and back", player.Options{IdleLimit: time.Second},
			func(t *testing.T, d *deck) {
				many := step
				many.Frames = 100
				d.at(10).do(many).at(20).do(player.Command{Op: player.Seek, To: mark(t, "+5s")}).at(30).do(resume)
			},
			[]string{
				"0 a", "10 b", "10 c", "10 d", "10 ended at 10s x1",
				"20 paused at 5s x1", "30 playing at 5s x1", "1030 d",
			},
		},
		{
			"seek while playing", player.Options{},
			func(t *testing.T, d *deck) {
				d.at(50).do(player.Command{Op: player.Seek, To: mark(t, "+9s")})
				d.at(60).do(player.Command{Op: player.Seek, To: mark(t, "+0s")})
				d.at(70).do(player.Command{Op: player.Seek, To: mark(t, "+1h")})
			},
			[]string{"0 a", "50 playing at 9s x1", "60 playing at 0s x1", "60 a", "70 playing at 10s x1"},
		},
		{
			"refused", player.Options{Speed: player.Max},
			func(t *testing.T, d *deck) {
				d.do(pause).do(speed(5000)).do(player.Command{Op: "rewind"})
				d.do(player.Command{Op: player.Seek, To: mark(t, "1.019b7d3c-ffff-7000-8000-000000000000.0")})
				d.do(player.Command{Op: player.Seek, To: mark(t, "type:nothing")})
				d.do(player.Command{Op: player.SetMark, To: mark(t, "1.019b7d3c-ffff-7000-8000-000000000000.0")}).do(resume)
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
			"steps back", player.Options{},
			func(t *testing.T, d *deck) {
				back := func(n int64) player.Command { return player.Command{Op: player.Step, Frames: -n} }
				d.at(200).do(back(1)).at(300).do(step).do(back(2)).do(back(9)).do(back(1)).at(400).do(resume)
			},
			[]string{
				"0 a", "100 b", "100 c", "200 paused at 100ms x1", "300 c", "300 paused at 100ms x1",
				"300 paused at 0s x1", "300 paused at 0s x1", "300 paused at 0s x1",
				"400 playing at 0s x1", "400 a", "500 b", "500 c", "10400 d",
			},
		},
		{
			"steps back too far", player.Options{Speed: player.Max, Hold: true},
			func(t *testing.T, d *deck) {
				d.at(1).do(player.Command{Op: player.Step, Frames: -player.MostBack - 1})
				d.do(player.Command{Op: player.Step, Frames: math.MinInt64})
				d.do(player.Command{Op: player.Ask}).stop()
			},
			[]string{
				"0 a", "0 b", "0 c", "0 d", "0 state end: ended at 10s xmax",
				"1 ended at 10s xmax", "1 refused: no more than 10000 frames can be stepped back at once",
				"1 ended at 10s xmax", "1 refused: no more than 10000 frames can be stepped back at once",
				"1 ended at 10s xmax",
			},
		},
		{
			"silences cut while one lasts", player.Options{},
			func(t *testing.T, d *deck) {
				idle := func(limit time.Duration) player.Command {
					return player.Command{Op: player.SetIdle, Idle: limit}
				}
				d.at(50).do(idle(time.Minute)).at(3100).do(idle(2 * time.Second))
			},
			[]string{"0 a", "50 playing at 50ms x1", "100 b", "100 c", "3100 playing at 2.1s x1", "3100 d"},
		},
		{
			"a longer silence after a shorter one", player.Options{IdleLimit: 3 * time.Second},
			func(t *testing.T, d *deck) { d.at(2100).do(player.Command{Op: player.SetIdle}) },
			[]string{"0 a", "100 b", "100 c", "2100 playing at 2.1s x1", "10000 d"},
		},
		{
			"a loop keeps its time over passes", player.Options{Loop: true, Speed: 10},
			func(t *testing.T, d *deck) { d.at(2500).do(player.Command{Op: player.SetLoop}) },
			[]string{
				"0 a", "10 b", "10 c", "1000 d", "1000 state loop: playing at 0s x10", "1000 a", "1010 b", "1010 c", "2000 d",
				"2000 state loop: playing at 0s x10", "2000 a", "2010 b", "2010 c", "2500 playing at 5s x10", "3000 d",
			},
		},
		{
			"a loop does not spin", player.Options{Loop: true, Speed: player.Max},
			func(t *testing.T, d *deck) { d.at(150).do(player.Command{Op: player.SetLoop}) },
			[]string{
				"0 a", "0 b", "0 c", "0 d", "0 state loop: playing at 0s xmax", "100 a", "100 b", "100 c", "100 d",
				"100 state loop: playing at 0s xmax", "150 playing at 0s xmax", "200 a", "200 b", "200 c", "200 d",
			},
		},
		{
			"a loop over nothing ends", player.Options{Loop: true, Filter: replay.Filter{Types: []string{"none"}}},
			func(t *testing.T, d *deck) {}, nil,
		},
		{
			"pauses at a marker", player.Options{Marker: mark(t, "1767323045223456789.019b7d3c-0000-7000-8000-000000000000.1")},
			func(t *testing.T, d *deck) {
				d.at(500).do(player.Command{Op: player.SetMark}).do(resume)
			},
			[]string{
				"0 a", "100 b", "100 state marker: paused at 100ms x1",
				"500 paused at 100ms x1", "500 playing at 100ms x1", "500 c", "10400 d",
			},
		},
		{
			"ends at a marker", player.Options{
				Marker: mark(t, "1767323045223456789.019b7d3c-0000-7000-8000-000000000000.1"), EndAtMarker: true,
			},
			func(t *testing.T, d *deck) {}, []string{"0 a", "100 b"},
		},
		{
			"stays at the end", player.Options{Hold: true, Speed: 100},
			func(t *testing.T, d *deck) {
				d.at(200).do(resume).at(300).do(player.Command{Op: player.Seek, To: mark(t, "+9s")}).do(resume).at(400).stop()
			},
			[]string{
				"0 a", "1 b", "1 c", "100 d", "100 state end: ended at 10s x100", "200 playing at 10s x100",
				"200 state end: ended at 10s x100", "300 paused at 9s x100", "300 playing at 9s x100",
				"310 d", "310 state end: ended at 10s x100",
			},
		},
		{
			"after the end", player.Options{Speed: 1000},
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
		d := newDeck(t, abc(), player.Options{})
		err := d.player.Control(t.Context(), player.Command{Op: player.Step, Frames: 3}, func(player.State, error) error { return boom })
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
		if _, err := player.ParseMark(bad); err == nil {
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
		s, err := player.ParseSpeed(good)
		if err != nil {
			t.Error(err)
		}
		again, err := player.ParseSpeed(s.String())
		if err != nil || again != s {
			t.Errorf("%q came back as %v, %v", good, again, err)
		}
	}
	for _, bad := range []string{"", "0", "0.09", "1001", "-1", "NaN", "Inf", "fast", "1x"} {
		if s, err := player.ParseSpeed(bad); err == nil {
			t.Errorf("%q was taken for the speed %v", bad, s)
		}
	}
}
