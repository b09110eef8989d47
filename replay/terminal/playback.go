package terminal

import (
	"fmt"
	"math"
	"time"

	"tapedeck/replay/player"
)

// playback is the last reported state of the playback.
type playback struct {
	state    string // as in player.State
	speed    player.Speed
	looping  bool
	live     bool
	idle     time.Duration
	marker   string
	duration time.Duration
	last     string // number and type of the latest frame
	position string
	atEnd    bool // the end was reached without a pause

	at   time.Duration // recorded time reached
	when time.Time     // when it was reached
	log  []message     // the latest frames
}

// now returns the recorded time reached at t, extrapolated between frames.
func (d *playback) now(t time.Time) time.Duration {
	at := d.at
	if d.state == "playing" && d.speed != player.Max && !d.when.IsZero() {
		at += time.Duration(math.Min(float64(t.Sub(d.when))*float64(d.speed), math.MaxInt64/4))
	}
	if !d.live && d.duration > 0 {
		at = min(at, d.duration)
	}
	return at
}

// take applies a message. If it refuses a control, take returns the reason.
func (d *playback) take(m *message, now time.Time) (refused string) {
	switch {
	case m.StreamID != "":
		d.last, d.position = fmt.Sprintf("#%d %s", m.Seq, m.Type), m.Position
		d.at, d.when = m.offset(), now
		d.duration = max(d.duration, d.at)
		if d.log = append(d.log, *m); len(d.log) >= 2*keptFrames {
			d.log = append(d.log[:0], d.log[len(d.log)-keptFrames:]...)
		}
	case m.Type == "state":
		d.state, d.speed, d.looping, d.live, d.marker = m.State, m.Speed, m.Looping, m.Live, m.Marker
		d.duration = time.Duration(m.DurationMS * float64(time.Millisecond))
		d.at, d.when = m.offset(), now
		if d.idle = 0; m.IdleMS != nil {
			d.idle = time.Duration(*m.IdleMS * float64(time.Millisecond))
		}
		if m.Op == player.Seek || m.Op == player.Step && m.Position != d.position || m.Op == player.SetLoop {
			d.last, d.position = "", ""
		}
		d.atEnd = m.Op == player.End || d.atEnd && m.State == "ended"
		d.forget()
	case m.Type == "error":
		if m.Detail != "" {
			return m.Detail
		}
		return m.Title
	}
	return ""
}

// forget drops the frames after the current place, since they will be played again.
func (d *playback) forget() {
	for len(d.log) > 0 && d.log[len(d.log)-1].offset() > d.at {
		d.log = d.log[:len(d.log)-1]
	}
}

// move records a requested place, so that the next key counts from it.
func (d *playback) move(to time.Duration, now time.Time) { d.at, d.when = to, now }

// speeds lists the speeds that the keys select.
var speeds = []player.Speed{0.1, 0.25, 0.5, 1, 1.5, 2, 3, 5, 10, 20, 50, 100, player.Max}

// other returns the next higher or lower speed.
func (d *playback) other(up bool) player.Speed {
	if up {
		for _, s := range speeds {
			if s > d.speed {
				return s
			}
		}
		return player.Max
	}
	for i := len(speeds) - 1; i >= 0; i-- {
		if speeds[i] < d.speed {
			return speeds[i]
		}
	}
	return speeds[0]
}
