package player

import (
	"context"
	"time"
)

// ShortestPass is the minimum time between the starts of two passes of a loop. It keeps a tape
// without duration from spinning.
const ShortestPass = 100 * time.Millisecond

// atEnd handles the end of the tape: the player restarts, waits for controls, or ends.
func (p *Player) atEnd(ctx context.Context) (over bool, err error) {
	if empty := p.whole && p.fresh; p.opts.Loop && !empty && (!p.paused || p.steps != nil) {
		return false, p.rewind(ctx)
	}
	if !p.paused {
		if !p.opts.Hold {
			return true, p.flush()
		}
		p.pause(time.Now())
		p.clock.snap()
		err = p.notify(End)
	}
	if err == nil {
		err = p.stepped()
	}
	if err == nil {
		err = p.wait(ctx, false)
	}
	return err != nil, err
}

// rewind starts the next pass at the time at which the last frame of this pass was due, so that the
// lateness of a pass is not added to the next.
func (p *Player) rewind(ctx context.Context) error {
	now := time.Now()
	start := now
	if !p.paused {
		if p.clock.speed != Max {
			start = p.clock.due(p.clock.at)
		}
		if soonest := p.passAt.Add(ShortestPass); start.Before(soonest) {
			start = soonest
		}
	}
	if err := p.begin(ctx, p.opts.LoopFrom); err != nil {
		return err
	}
	if p.passAt = start; !p.paused {
		p.clock.wall, p.owed = start, max(now.Sub(start), 0)
	}
	return p.notify(SetLoop)
}
