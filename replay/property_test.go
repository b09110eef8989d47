package replay_test

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"tapedeck/replay"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// act is one control of a random script, after a random time.
type act struct {
	after time.Duration
	cmd   replay.Command
	place int // Seek: the frame to go to
}

// event is a frame that was played, or a control that took effect.
type event struct {
	at     time.Duration
	frame  int  // -1 for a control
	free   bool // the frame was played by a step
	act    *act
	rate   replay.Speed
	paused bool
}

type script struct {
	tape   *replaytest.Tape
	frames []replay.Frame
	index  map[schema.Position]int
	opts   replay.Options
	acts   []act
}

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
			stream.Add(at, fmt.Sprint(n))
			at += gap.Draw(rt, "next")
		}
	}
	s.frames = s.tape.Frames()
	for i := range s.frames {
		s.index[s.frames[i].Position()] = i
	}
	speed := rapid.SampledFrom([]replay.Speed{0.1, 0.7, 1, 2, 10, 1000, replay.Max})
	s.opts.Speed = speed.Draw(rt, "speed")
	s.opts.IdleLimit = rapid.SampledFrom([]time.Duration{0, 0, time.Millisecond, time.Second}).Draw(rt, "idle")
	for range rapid.IntRange(0, 12).Draw(rt, "acts") {
		a := act{after: rapid.SampledFrom([]time.Duration{0, time.Microsecond, 90 * time.Millisecond, 3 * time.Second}).Draw(rt, "after")}
		a.cmd.Op = rapid.SampledFrom([]replay.Op{replay.Pause, replay.Resume, replay.Seek, replay.SetSpeed, replay.Step}).Draw(rt, "op")
		a.cmd.Speed = speed.Draw(rt, "to speed")
		a.cmd.Frames = rapid.Uint64Range(0, 4).Draw(rt, "steps")
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
func (e *eye) answered(a *act, st replay.State) {
	now := time.Since(e.start)
	if a.cmd.Op == replay.Step {
		left := max(a.cmd.Frames, 1)
		for i := len(e.events) - 1; i >= 0 && left > 0 && e.events[i].frame >= 0 && e.events[i].at == now; i-- {
			e.events[i].free = true
			left--
		}
	}
	e.events = append(e.events, event{at: now, frame: -1, act: a, rate: st.Speed, paused: st.State != "playing"})
}

// run plays the script and gives what happened.
func (s *script) run(t *testing.T) ([]event, error) {
	out := &eye{script: s, start: time.Now()}
	p := replay.New(s.tape, out, s.opts)
	over := make(chan error, 1)
	go func() {
		_, err := p.Run(t.Context())
		over <- err
	}()
	for _, a := range append(s.acts, act{cmd: replay.Command{Op: replay.Resume}}) {
		time.Sleep(a.after)
		if a.cmd.Op == replay.Seek {
			pos := s.frames[a.place].Position()
			var err error
			if a.cmd.To, err = replay.ParseMark(pos.String()); err != nil {
				return nil, err
			}
		}
		answered := make(chan struct{})
		err := p.Control(t.Context(), a.cmd, func(st replay.State, err error) error {
			defer close(answered)
			out.answered(&a, st)
			return err
		})
		if err != nil {
			break // it has ended
		}
		<-answered
	}
	err := <-over
	return out.events, err
}

// check holds what happened against what the controls ask for: every frame in
// order from the start, and from every place sought, up to the end; and between
// two frames as much playing time as lies between them on the tape.
func (s *script) check(events []event) error {
	const rounding = 20e3 // ns: at speed 1000 one nanosecond is a microsecond of tape
	next, last := 0, -1
	rate := float64(s.opts.Speed) // 0 while paused
	since := 0.0                  // playing time since the last frame, ns
	at := time.Duration(0)
	for _, e := range events {
		if e.at > at {
			since += rate * float64(e.at-at)
			at = e.at
		}
		if e.frame < 0 {
			if rate = float64(e.rate); e.paused {
				rate = 0
			}
			if e.act.cmd.Op == replay.Seek {
				next, last, since = e.act.place, -1, 0
			}
			continue
		}
		if e.frame != next {
			return fmt.Errorf("frame %d of %d where %d was to come", e.frame, len(s.frames), next)
		}
		gap := 0.0
		if last >= 0 {
			gap = float64(s.frames[e.frame].At - s.frames[last].At)
			if s.opts.IdleLimit > 0 {
				gap = min(gap, float64(s.opts.IdleLimit))
			}
		}
		if !e.free && !math.IsInf(rate, 0) && !math.IsInf(since, 0) && math.Abs(since-gap) > rounding {
			return fmt.Errorf("frame %d came after %.0f ns of playing, recorded were %.0f", e.frame, since, gap)
		}
		last, next, since = e.frame, e.frame+1, 0
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
