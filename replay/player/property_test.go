package player_test

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"tapedeck/replay"
	"tapedeck/replay/player"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// act is one control of a random script, after a random time.
type act struct {
	after time.Duration
	cmd   player.Command
	place int // Seek: the frame to go to
}

// event is a frame that was played, or a control that took effect.
type event struct {
	at     time.Duration
	frame  int  // -1 for a control, or for what the player reports
	free   bool // the frame was played by a step
	act    *act
	op     player.Op // what the player does of itself
	state  player.State
	rate   player.Speed
	paused bool
}

type script struct {
	tape   *replaytest.Tape
	frames []replay.Frame
	index  map[schema.Position]int
	opts   player.Options
	acts   []act
}

// stopMark marks the frames of type stop.
var stopMark = func() player.Mark {
	m, err := player.ParseMarker("type:stop")
	if err != nil {
		panic(err)
	}
	return m
}()

func drawScript(rt *rapid.T) *script {
	s := &script{tape: &replaytest.Tape{Batch: rapid.IntRange(1, 9).Draw(rt, "batch")}, index: map[schema.Position]int{}}
	gap := rapid.Custom(func(rt *rapid.T) time.Duration {
		return rapid.OneOf(
			rapid.Just(time.Duration(0)), rapid.Just(time.Duration(0)),
			rapid.Custom(func(rt *rapid.T) time.Duration { return time.Duration(rapid.Int64Range(1, 2e6).Draw(rt, "µ")) }),
			rapid.Custom(func(rt *rapid.T) time.Duration { return time.Duration(rapid.Int64Range(1, 9e9).Draw(rt, "s")) }),
		).Draw(rt, "gap")
	})
	for range rapid.IntRange(1, 4).Draw(rt, "streams") {
		stream, at := s.tape.Stream(schema.NDJSON, ""), gap.Draw(rt, "first")
		for n := range rapid.IntRange(1, 25).Draw(rt, "frames") {
			kind := rapid.SampledFrom([]string{"", "", "", "stop"}).Draw(rt, "type")
			stream.Add(at, fmt.Sprint(n), func(f *schema.Frame) { f.Type = kind })
			at += gap.Draw(rt, "next")
		}
	}
	s.frames = s.tape.Frames()
	for i := range s.frames {
		s.index[s.frames[i].Position()] = i
	}
	speed := rapid.SampledFrom([]player.Speed{0.1, 0.7, 1, 2, 10, 1000, player.Max})
	s.opts.Speed = speed.Draw(rt, "speed")
	idle := rapid.SampledFrom([]time.Duration{0, 0, time.Millisecond, time.Second})
	s.opts.IdleLimit = idle.Draw(rt, "idle")
	s.opts.Loop = rapid.Bool().Draw(rt, "loop")
	marker := rapid.SampledFrom([]player.Mark{{}, stopMark})
	s.opts.Marker = marker.Draw(rt, "marker")
	for range rapid.IntRange(0, 12).Draw(rt, "acts") {
		a := act{after: rapid.SampledFrom([]time.Duration{0, time.Microsecond, 90 * time.Millisecond, 3 * time.Second}).Draw(rt, "after")}
		a.cmd.Op = rapid.SampledFrom([]player.Op{player.Pause, player.Resume, player.Seek, player.SetSpeed, player.Step,
			player.SetIdle, player.SetLoop, player.SetMark, player.Ask}).Draw(rt, "op")
		a.cmd.Speed = speed.Draw(rt, "to speed")
		a.cmd.Frames = rapid.Int64Range(-3, 4).Draw(rt, "steps")
		a.cmd.Idle, a.cmd.On = idle.Draw(rt, "to idle"), rapid.Bool().Draw(rt, "on")
		if a.cmd.Op == player.SetMark {
			a.cmd.To = marker.Draw(rt, "to marker")
		}
		a.place = rapid.IntRange(0, len(s.frames)-1).Draw(rt, "place")
		s.acts = append(s.acts, a)
	}
	return s
}

// eye is a Sink that notes what it sees.
type eye struct {
	script *script
	start  time.Time
	events []event
}

func (e *eye) Play(f *replay.Frame, from, to int) error {
	if from != 0 || to != len(f.Raw) {
		return fmt.Errorf("a part of frame %v", f.Position())
	}
	e.events = append(e.events, event{at: time.Since(e.start), frame: e.script.index[f.Position()]})
	return nil
}

func (e *eye) Flush() error { return nil }

// answered notes a control. The frames of a step come right before its answer.
func (e *eye) answered(a *act, st player.State) {
	now := time.Since(e.start)
	if a.cmd.Op == player.Step && a.cmd.Frames >= 0 {
		left := max(a.cmd.Frames, 1)
		for i := len(e.events) - 1; i >= 0 && left > 0 && e.events[i].at == now; i-- {
			if e.events[i].frame < 0 && e.events[i].op != player.SetLoop {
				break
			}
			if e.events[i].frame >= 0 {
				e.events[i].free = true
				left--
			}
		}
	}
	e.events = append(e.events, event{at: now, frame: -1, act: a, state: st, rate: st.Speed, paused: st.State != "playing"})
}

// StateChanged implements player.StateSink.
func (e *eye) StateChanged(op player.Op, st player.State) error {
	e.events = append(e.events, event{
		at: time.Since(e.start), frame: -1, op: op, state: st, rate: st.Speed, paused: st.State != "playing",
	})
	return nil
}

// longest bounds the virtual time of a script: the slowest speed plays the longest gaps for
// hours.
const longest = 30 * 24 * time.Hour

// receive receives from a channel within longest of virtual time.
func receive[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	limit := time.NewTimer(longest)
	defer limit.Stop()
	select {
	case v := <-c:
		return v
	case <-limit.C:
		t.Fatalf("nothing was received within %v of virtual time", longest)
	}
	panic("not reached")
}

// run plays the script and returns what happened.
func (s *script) run(t *testing.T) ([]event, error) {
	out := &eye{script: s, start: time.Now()}
	p := player.New(s.tape, out, s.opts)
	over := make(chan error, 1)
	go func() {
		_, err := p.Run(t.Context())
		over <- err
	}()
	for _, a := range append(s.acts,
		act{cmd: player.Command{Op: player.SetMark}}, act{cmd: player.Command{Op: player.SetLoop}},
		act{cmd: player.Command{Op: player.Resume}}) {
		time.Sleep(a.after) // virtual time: when the control is sent
		if a.cmd.Op == player.Seek {
			pos := s.frames[a.place].Position()
			var err error
			if a.cmd.To, err = player.ParseMark(pos.String()); err != nil {
				return nil, err
			}
		}
		answered := make(chan struct{})
		err := p.Control(t.Context(), a.cmd, func(st player.State, err error) error {
			defer close(answered)
			out.answered(&a, st)
			return err
		})
		if err != nil {
			break // it has ended
		}
		receive(t, answered)
	}
	err := receive(t, over)
	return out.events, err
}

// check holds what happened against what the controls ask for: every frame in
// order from the start, and from every place sought or stepped back to, up to the
// end and then, in a loop, from the start; and between two frames as much playing time
// as lies between them on the tape. At a marked frame, and only there, it pauses.
func (s *script) check(events []event) error {
	const rounding = 20e3 // ns: at speed 1000 one nanosecond is a microsecond of tape
	next, last := 0, -1
	rate := float64(s.opts.Speed) // 0 while paused
	since := 0.0                  // playing time since the last frame, ns
	idle, loop, marker := s.opts.IdleLimit, s.opts.Loop, s.opts.Marker
	begins, marked := false, false // a pass has just begun; the last frame asks for a pause
	at := time.Duration(0)
	for _, e := range events {
		if e.at > at {
			since += rate * float64(e.at-at)
			at = e.at
		}
		if marked && e.op != player.SetMark {
			return fmt.Errorf("it did not pause at frame %d", last)
		}
		if e.frame < 0 {
			if rate = float64(e.rate); e.paused {
				rate = 0
			}
			switch {
			case e.op == player.SetMark:
				if !marked || !e.paused || e.state.Position != s.frames[last].Position() ||
					e.state.Offset != time.Duration(s.frames[last].At-s.frames[0].At) {
					return fmt.Errorf("paused after frame %d, at %+v", last, e.state)
				}
				marked = false
			case e.op == player.SetLoop:
				if !loop || next != len(s.frames) {
					return fmt.Errorf("it began again before frame %d of %d", next, len(s.frames))
				}
				next, last, since, begins = 0, -1, 0, true
			case e.op != "":
				return fmt.Errorf("it reported %s", e.op)
			case e.act.cmd.Op == player.Seek:
				next, last, since, begins = e.act.place, -1, 0, false
			case e.act.cmd.Op == player.Step && e.act.cmd.Frames < 0 && next > 0:
				next = max(next+int(e.act.cmd.Frames), 0)
				last, since, begins = next-1, 0, false
			case e.act.cmd.Op == player.SetIdle:
				if idle = e.act.cmd.Idle; idle > 0 && !math.IsInf(since, 0) {
					since = min(since, float64(idle))
				}
			case e.act.cmd.Op == player.SetLoop:
				loop = e.act.cmd.On
			case e.act.cmd.Op == player.SetMark:
				marker = e.act.cmd.To
			}
			if e.state.Looping != loop || e.state.Idle != idle || e.state.Marker != marker.String() {
				return fmt.Errorf("the state is %+v", e.state)
			}
			continue
		}
		if e.frame != next {
			return fmt.Errorf("frame %d of %d where %d was to come", e.frame, len(s.frames), next)
		}
		gap := 0.0
		if last >= 0 {
			gap = float64(s.frames[e.frame].At - s.frames[last].At)
			if idle > 0 {
				gap = min(gap, float64(idle))
			}
		}
		if !e.free && !begins && !math.IsInf(rate, 0) && !math.IsInf(since, 0) && math.Abs(since-gap) > rounding {
			return fmt.Errorf("frame %d came after %.0f ns of playing, recorded were %.0f", e.frame, since, gap)
		}
		marked = !e.free && marker == stopMark && s.frames[e.frame].Type == "stop"
		last, next, since, begins = e.frame, e.frame+1, 0, false
	}
	if next != len(s.frames) {
		return fmt.Errorf("ended before frame %d of %d", next, len(s.frames))
	}
	return nil
}

func TestControlsKeepOrderAndTime(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawScript(rt)
		var err error
		synctest.Test(t, func(t *testing.T) {
			var events []event
			if events, err = s.run(t); err == nil {
				err = s.check(events)
			}
		})
		if err != nil {
			rt.Fatal(err)
		}
	})
}
