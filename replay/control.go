package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tapedeck/schema"
)

// Op is what a control does.
type Op string

const (
	Pause    Op = "pause"  // stand still; the rest of the gap is kept
	Resume   Op = "resume" // go on
	Seek     Op = "seek"   // go on at Command.To, playing or paused as before
	SetSpeed Op = "speed"  // go on at Command.Speed
	Step     Op = "step"   // pause, and play Command.Frames frames at once
)

// Ops lists the controls there are.
var Ops = []string{string(Pause), string(Resume), string(Seek), string(SetSpeed), string(Step)}

// Command is one control.
type Command struct {
	Op     Op
	To     Mark   // Seek: where to
	Speed  Speed  // SetSpeed: one that ParseSpeed gives
	Frames uint64 // Step: how many, 0 stands for one
}

// State is how a player stands.
type State struct {
	State    string          // "playing", "paused", or "ended" where a paused player has no frame left
	Position schema.Position // of the frame played last; zero before the first
	Offset   time.Duration   // recorded time reached, from the session's first frame
	Speed    Speed
	Frames   uint64 // frames played so far
}

// ErrEnded is returned for a control that came after the end.
var ErrEnded = errors.New("the playback has ended")

// A CommandError says that a control was refused; playing goes on as before.
type CommandError struct{ Err error }

func (e *CommandError) Error() string { return e.Err.Error() }
func (e *CommandError) Unwrap() error { return e.Err }

// control is a command on its way to Run.
type control struct {
	Command
	answer func(State, error) error
}

// Control has the running player obey a command. answer is called from the
// goroutine of Run as soon as the command has taken effect, between two frames:
// with the state, or with a CommandError. What answer returns, if not nil, ends
// Run. Control itself returns once Run has taken the command; the error is
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

// obey carries a command out. A step under way is cut short by any command.
func (p *Player) obey(ctx context.Context, c control) error {
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
	case Seek:
		if err := p.seek(ctx, c.To); err != nil {
			return p.refuse(c, err)
		}
	case Step:
		p.pause(now)
		p.steps, p.left = &c, max(c.Frames, 1)
		return nil // stepped answers
	default:
		return p.refuse(c, fmt.Errorf("there is no control %q", c.Op))
	}
	return p.reply(c)
}

func (p *Player) pause(now time.Time) {
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
	return p.begin(ctx, place)
}

// stepped ends a step, if one is under way, and answers it.
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
		Offset: time.Duration(p.reached() - FirstAt(p.tape)),
	}
	if p.paused {
		s.State = "paused"
		if p.feed.ended() {
			s.State = "ended"
		}
	}
	return s
}
