package player

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tapedeck/replay"
	"tapedeck/schema"
)

// Op is the kind of a control.
type Op string

const (
	Pause    Op = "pause"  // stop, and keep the rest of the gap
	Resume   Op = "resume" // continue
	Seek     Op = "seek"   // continue at Command.To, playing or paused as before
	SetSpeed Op = "speed"  // continue at Command.Speed
	Step     Op = "step"   // pause, and play Command.Frames frames at once, or go back by as many
	Live     Op = "live"   // in a running session: skip to the end and play new frames
	SetIdle  Op = "idle_limit"
	SetLoop  Op = "loop"   // restart at the end if Command.On is set
	SetMark  Op = "marker" // pause after the frames that Command.To marks; a zero Mark disables it
	Ask      Op = "state"  // change nothing
)

// End tells a StateSink that the player stays at the end. It is not a control.
const End Op = "end"

// Ops lists all controls.
var Ops = []string{
	string(Pause), string(Resume), string(Seek), string(SetSpeed), string(Step), string(Live),
	string(SetIdle), string(SetLoop), string(SetMark), string(Ask),
}

// Command is one control.
type Command struct {
	Op     Op
	To     Mark          // Seek: the destination; SetMark: a result of ParseMarker
	Speed  Speed         // SetSpeed: a result of ParseSpeed
	Frames int64         // Step: number of frames, 0 means one; negative to go back, by at most MostBack
	Idle   time.Duration // SetIdle: the longest silence; 0 for no limit
	On     bool          // SetLoop
}

// State is a player's state.
type State struct {
	State    string          // "playing", "paused", or "ended" if a paused player has no frame left
	Position schema.Position // position of the frame played last; zero before the first
	Offset   time.Duration   // recorded time reached, from the session's first frame
	Speed    Speed
	Frames   uint64 // frames played so far
	Idle     time.Duration
	Looping  bool
	Marker   string        // as written by the client, "" for none
	Duration time.Duration // from the session's first frame to its last so far
	// The fields below are set for a session that was running when playing began.
	Growing bool
	Live    bool          // frames are played as they arrive
	Behind  time.Duration // recorded time from Offset to the latest frame
	AsOf    time.Duration // time since the session's first frame up to which all frames are known
}

// ErrEnded is returned for a control after the end.
var ErrEnded = errors.New("the playback has ended")

// CommandError reports that a control was refused; the playback continues unchanged.
type CommandError struct{ Err error }

func (e *CommandError) Error() string { return e.Err.Error() }
func (e *CommandError) Unwrap() error { return e.Err }

// control is a command passed to Run.
type control struct {
	Command
	answer func(State, error) error
}

// Control passes a command to the running player. Run calls answer in its goroutine as soon as the
// command has taken effect, between two frames, with the state or with a CommandError. A non-nil
// result of answer ends Run. Control returns when Run has received the command; its error is
// ErrEnded or that of ctx.
func (p *Player) Control(ctx context.Context, c Command, answer func(State, error) error) error {
	select {
	case p.controls <- control{c, answer}:
		return nil
	case <-p.done:
		return ErrEnded
	case <-ctx.Done():
		return ctx.Err()
	}
}

// apply executes a command. Any command ends a step in progress.
func (p *Player) apply(ctx context.Context, c control) error {
	if err := p.stepped(); err != nil {
		return err
	}
	now := time.Now()
	switch c.Op {
	case Pause:
		p.pause(now)
	case Resume:
		p.paused = false
		p.clock.resume(now)
	case SetSpeed:
		if !c.Speed.valid() {
			return p.refuse(c, fmt.Errorf("speed %v is not %s", c.Speed, SpeedAllowed))
		}
		p.clock.setSpeed(c.Speed, now)
		p.live = p.live && c.Speed >= Normal
	case SetIdle:
		if c.Idle < 0 {
			return p.refuse(c, fmt.Errorf("idle limit %v is below zero", c.Idle))
		}
		p.clock.setLimit(int64(c.Idle), now)
	case SetLoop:
		p.opts.Loop = c.On
	case SetMark:
		if p.opts.Bare && !c.To.IsZero() {
			return p.refuse(c, errors.New("frames are read without their types: nothing can be marked"))
		}
		if err := c.To.CheckMarker(p.tape); err != nil {
			return p.refuse(c, err)
		}
		p.opts.Marker = c.To
	case Ask:
	case Seek:
		if err := p.seek(ctx, c.To); err != nil {
			return p.refuse(c, err)
		}
	case Live:
		if _, ok := p.tape.(replay.Growing); !ok {
			return p.refuse(c, errors.New("the session is over, or it is not followed: there is nothing live"))
		}
		if err := p.seek(ctx, LiveMark); err != nil {
			return p.refuse(c, err)
		}
		p.paused = false
		p.clock.resume(now)
	case Step:
		if c.Frames < -MostBack {
			return p.refuse(c, fmt.Errorf("no more than %d frames can be stepped back at once", MostBack))
		}
		p.pause(now)
		if c.Frames < 0 {
			if err := p.back(ctx, int(-c.Frames)); err != nil {
				return p.refuse(c, err)
			}
			break
		}
		p.steps, p.left = &c, max(c.Frames, 1)
		return nil // stepped calls answer
	default:
		return p.refuse(c, fmt.Errorf("there is no control %q", c.Op))
	}
	return p.reply(c)
}

func (p *Player) pause(now time.Time) {
	p.live = false
	if !p.paused {
		p.paused = true
		p.clock.halt(now)
	}
}

func (p *Player) seek(ctx context.Context, to Mark) error {
	place, err := to.Start(ctx, p.tape)
	if err != nil {
		return err
	}
	last := replay.LastAt(p.tape)
	if growing, ok := p.tape.(replay.Growing); ok {
		last = max(last, growing.Edge())
	}
	if to.kind == markOffset && place.Position.At > last { // the offset is after the last frame
		place.Position = endOf(last)
	}
	return p.begin(ctx, place)
}

// stepped ends a step in progress, if any, and answers it.
func (p *Player) stepped() error {
	if p.steps == nil {
		return nil
	}
	c := *p.steps
	p.steps = nil
	return p.reply(c)
}

func (p *Player) reply(c control) error { return c.answer(p.state(), nil) }

func (p *Player) refuse(c control, err error) error {
	return c.answer(p.state(), &CommandError{err})
}

func (p *Player) state() State {
	s := State{
		State: "playing", Position: p.sum.Last, Speed: p.clock.speed, Frames: p.sum.Frames,
		Offset: time.Duration(p.reached() - replay.FirstAt(p.tape)),
		Idle:   time.Duration(p.clock.limit), Looping: p.opts.Loop, Marker: p.opts.Marker.String(),
		Duration: time.Duration(replay.LastAt(p.tape) - replay.FirstAt(p.tape)),
	}
	if growing, ok := p.tape.(replay.Growing); ok {
		s.Growing, s.Live = true, p.live
		s.Behind = time.Duration(max(growing.Edge()-p.reached(), 0))
		s.Duration = max(s.Duration, time.Duration(growing.Edge()-replay.FirstAt(p.tape)))
		s.AsOf = max(s.Duration, time.Duration(growing.AsOf()-replay.FirstAt(p.tape)))
	}
	if p.paused {
		s.State = "paused"
		if p.prefetch.ended() {
			s.State = "ended"
		}
	}
	return s
}
