package stdio

import (
	"time"

	"tapedeck/replay/emulate"
	"tapedeck/replay/player"
)

// clock says when what was recorded is due.
type clock struct {
	pacing emulate.Pacing
	at     int64     // recorded time that was reached, ns
	due    time.Time // when it was due
}

// advance returns when a recorded time is due. Recorded times never decrease.
func (c *clock) advance(at int64) time.Time {
	gap := time.Duration(max(at-c.at, 0))
	if c.pacing.IdleLimit > 0 {
		gap = min(gap, c.pacing.IdleLimit)
	}
	switch speed := c.pacing.Speed; speed {
	case player.Max:
		gap = 0
	case 0, player.Normal:
	default:
		gap = time.Duration(float64(gap) / float64(speed))
	}
	c.at, c.due = max(at, c.at), c.due.Add(gap)
	return c.due
}

// restart makes a recorded time due at a time, but not before what was due already.
func (c *clock) restart(at int64, due time.Time) {
	c.at = max(at, c.at)
	if due.After(c.due) {
		c.due = due
	}
}
