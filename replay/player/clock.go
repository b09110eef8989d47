package player

import "time"

// clock computes when recorded times are due. It counts "played time": the recorded time with every
// silence cut to the limit. Due times are relative to one anchor on the monotonic clock, so that
// errors do not accumulate over a long tape. A control sets a new anchor.
type clock struct {
	speed  Speed
	limit  int64 // longest silence, ns; 0 for none
	halted bool

	wall   time.Time // the anchor on the monotonic clock,
	anchor int64     // and the played time then, ns

	at     int64 // recorded time of the last played bytes, or of the start, ns
	played int64 // the played time of at, ns
}

// start sets the clock to a recorded time.
func (c *clock) start(at int64, now time.Time) {
	c.at, c.wall, c.anchor = at, now, c.played
}

// gap returns the played time between the last played bytes and at, which is not before them.
// Across streams a read may end before the frame that was played last; its gap is 0.
func (c *clock) gap(at int64) int64 {
	gap := max(at-c.at, 0)
	if c.limit > 0 {
		gap = min(gap, c.limit)
	}
	return gap
}

// due returns when the recorded time at is due. It must not be called on a halted clock.
func (c *clock) due(at int64) time.Time {
	if c.speed == Max {
		return c.wall
	}
	ahead := float64(c.played+c.gap(at)-c.anchor) / float64(c.speed)
	return c.wall.Add(time.Duration(min(ahead, float64(1<<62))))
}

// reach records that the bytes at the recorded time at were played.
func (c *clock) reach(at int64) {
	c.played += c.gap(at)
	c.at = max(c.at, at)
}

// now returns the played time at t.
func (c *clock) now(t time.Time) int64 {
	switch {
	case c.halted:
		return c.anchor
	case c.speed == Max:
		return c.played
	}
	return c.anchor + int64(float64(t.Sub(c.wall))*float64(c.speed))
}

// settle moves the anchor to t, without a jump in played time.
func (c *clock) settle(t time.Time) {
	c.anchor, c.wall = c.now(t), t
}

// halt stops the clock, resume restarts it.
func (c *clock) halt(t time.Time) {
	c.settle(t)
	c.halted = true
}

func (c *clock) resume(t time.Time) {
	if c.halted {
		c.wall, c.halted = t, false
	}
}

// snap sets a halted clock to the frame played last, as after a step.
func (c *clock) snap() { c.anchor = c.played }

// setSpeed changes the speed from t on.
func (c *clock) setSpeed(s Speed, t time.Time) {
	c.settle(t)
	c.speed = s
}

// setLimit changes the longest silence from t on. The current silence counts as played up to the
// limit, so that the frames after it keep their distance.
func (c *clock) setLimit(limit int64, t time.Time) {
	c.settle(t)
	if c.limit = limit; limit > 0 {
		c.anchor = min(c.anchor, c.played+limit)
	}
}

// jump makes the recorded time at due now; later times are relative to it.
func (c *clock) jump(at int64, now time.Time) {
	c.wall, c.anchor = now, c.played+c.gap(at)
}

// shift delays all due times by d, the time for which the player waited for the tape.
func (c *clock) shift(d time.Duration) { c.wall = c.wall.Add(d) }

// recorded returns the recorded time at t: how far the tape has been played. Within a silence that
// is cut it stops at the limit.
func (c *clock) recorded(t time.Time) int64 { return c.at + max(c.now(t)-c.played, 0) }
