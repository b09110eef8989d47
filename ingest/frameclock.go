package ingest

import (
	"iter"
	"time"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// frameClock takes arrival times from the content of frames. Each session has its own times, since
// a file may contain an earlier session after a later one; within a session they never decrease. An
// impossible time is ignored and counted: the frame has the time of the previous frame, and its
// bytes are unchanged.
//
// The times of the following frames determine whether a time is valid. So the clock delays frames
// before the detector, and keeps copies of all frames without an arrival time.
type frameClock struct {
	decoder    *decoder
	oneSession bool // all frames are of the session that the user named
	summary    *Summary

	sessions map[string]int64 // the latest time used in each session, ns
	session  string           // session of the previous frame
	latest   int64            // the last time used, ns; 0 before the first
	end      int64            // the greatest time used, ns

	frames   []datedFrame // frames without an arrival time, in order
	passed   int          // number of frames that were passed on
	delayed  int          // bytes of the delayed frames
	since    time.Time    // when the last frame arrived
	searched int          // number of frames that found has examined
	dated    bool         // one of the frames has a possible time
}

// datedFrame is a frame with the session and the time that it states.
type datedFrame struct {
	schema.Frame
	read    bool   // the fields below are set
	session string // "" for none
	at      int64  // ns, 0 for none
}

const (
	// clockSessions bounds the sessions whose times are kept.
	clockSessions = 1024
	// clockAhead is how many following frames determine whether the time of a frame is valid, and
	// clockAheadBytes bounds their bytes in the buffer.
	clockAhead      = 32
	clockAheadBytes = 256 << 10
	// oldestTime is earlier than any agent; futureLimit allows for clocks that are wrong.
	oldestTime  = 946684800 * int64(time.Second) // 2000
	futureLimit = 24 * time.Hour
	// strayFirst is how much earlier than all following times a first time may be.
	strayFirst = 365 * 24 * time.Hour
)

// sessionNames are the members that name the session in frames with times.
var sessionNames = [...][]string{
	{"sessionId"}, {"session_id"}, {"sessionID"}, {"threadId"}, {"thread_id"}, {"exec_id"},
	{"properties", "sessionID"}, {"properties", "part", "sessionID"}, {"properties", "info", "sessionID"},
}

// push adds a frame to the delayed frames.
func (c *frameClock) push(f *schema.Frame) {
	c.since = time.Now()
	c.frames = append(c.frames, datedFrame{Frame: cloneFrame(f)})
	c.delayed += len(f.Raw)
}

// delays reports whether frames are delayed.
func (c *frameClock) delays() bool { return c.passed < len(c.frames) }

// due reports whether enough frames follow the oldest delayed frame.
func (c *frameClock) due() bool {
	return len(c.frames)-c.passed > clockAhead || c.delayed > clockAheadBytes
}

// pop returns the oldest delayed frame.
func (c *frameClock) pop() *schema.Frame {
	f := c.frames[c.passed].Frame
	c.passed++
	c.delayed -= len(f.Raw)
	return &f
}

// found reports whether the time of the first frames is known: a frame that was passed on has a
// possible time, or the dialect's frames have no times.
func (c *frameClock) found() bool {
	if c.decoder.dialect.Time == nil {
		return true
	}
	for ; c.searched < c.passed && !c.dated; c.searched++ {
		c.dated = possible(c.read(&c.frames[c.searched]).at)
	}
	return c.dated
}

// read reads a frame's session and time, once.
func (c *frameClock) read(f *datedFrame) *datedFrame {
	if f.read {
		return f
	}
	f.read = true
	c.decoder.parser.Parse(&f.Frame, func(in *dialect.Input) {
		f.at = c.decoder.dialect.Time(in)
		if c.oneSession || in.JSON == nil || in.JSON.Type() != fastjson.TypeObject {
			return
		}
		for _, path := range sessionNames {
			if id := in.JSON.GetStringBytes(path...); len(id) > 0 {
				f.session = string(id)
				return
			}
		}
	})
	return f
}

// possible reports whether a time is in the plausible range.
func possible(at int64) bool {
	return at >= oldestTime && at <= Now()+int64(futureLimit)
}

// stamp sets the arrival time of the oldest frame without one, before the frame is decoded.
func (c *frameClock) stamp(f *schema.Frame) {
	own := &c.frames[0]
	defer func() {
		*own = datedFrame{}
		c.frames = c.frames[1:]
		c.passed--
	}()
	f.Cuts = nil // they are the reads of this import, not of the recording
	if c.decoder.dialect.Time == nil {
		if c.latest == 0 {
			c.latest, c.end = f.At, f.At
		}
		f.At = c.latest
		return
	}
	c.read(own)
	if own.session != "" {
		c.session = own.session
	}
	before := c.sessions[c.session]
	at := before
	switch {
	case own.at == 0:
	case c.believed(own.at, before, 0):
		at, c.summary.Timed = own.at, true
	default:
		c.summary.Misdated++
	}
	if at == 0 { // frames before the first time of a session have that time
		for i, next := range c.following(0) {
			if c.believed(next, 0, i) {
				at, c.summary.Timed = next, true
				break
			}
		}
	}
	if at != 0 {
		if len(c.sessions) >= clockSessions {
			clear(c.sessions)
		}
		if c.sessions == nil {
			c.sessions = map[string]int64{}
		}
		c.sessions[c.session] = at
	} else if at = c.latest; at == 0 {
		at = f.At
	}
	c.latest, c.end = at, max(c.end, at)
	f.At = at
}

// believed reports whether the time of frame i is used: it is not before the last time of its
// session, nor after most of the following times.
func (c *frameClock) believed(at, before int64, i int) bool {
	if !possible(at) || at < before {
		return false
	}
	earlier, muchLater, all := 0, 0, 0
	for _, next := range c.following(i) {
		all++
		switch {
		case next < at:
			earlier++
		case next-at > int64(strayFirst):
			muchLater++
		}
	}
	stray := before == 0 && all >= 3 && muchLater == all
	return 2*earlier <= all && !stray
}

// following iterates over the possible times of the session's frames after frame i that have
// arrived, with the indexes of the frames.
func (c *frameClock) following(i int) iter.Seq2[int, int64] {
	return func(yield func(int, int64) bool) {
		now := c.session
		for i++; i < len(c.frames); i++ {
			f := c.read(&c.frames[i])
			if f.session != "" {
				now = f.session
			}
			if now == c.session && possible(f.at) && !yield(i, f.at) {
				return
			}
		}
	}
}
