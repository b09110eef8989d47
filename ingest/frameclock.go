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
	reread     *reread // which frames the summary counts
	copies     copies

	ifTimed bool // StreamOptions.IfTimed, until the first frame is stamped
	off     bool // no frame had a time: frames keep their arrival times

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
	copied  bool   // it repeats an earlier line: its time is not compared with the times of originals
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
	return c.off && c.delays() || len(c.frames)-c.passed > clockAhead || c.delayed > clockAheadBytes
}

// pop returns the oldest delayed frame.
func (c *frameClock) pop() *schema.Frame {
	f := c.frames[c.passed].Frame
	c.passed++
	c.delayed -= len(f.Raw)
	if c.off && c.passed == len(c.frames) {
		c.frames, c.passed, c.copies = nil, 0, copies{} // nothing is stamped any more
	}
	return &f
}

// on reports whether frames have their own times. c may be nil.
func (c *frameClock) on() bool { return c != nil && !c.off }

// timed reports whether any frame so far has a possible time.
func (c *frameClock) timed() bool {
	if c.decoder.dialect.Time == nil {
		return false
	}
	for i := range c.frames {
		if possible(c.read(&c.frames[i]).at) {
			return true
		}
	}
	return false
}

// turnOff makes frames keep their arrival times. Delayed frames wait for pop.
func (c *frameClock) turnOff() {
	c.off = true
	c.frames, c.passed = c.frames[c.passed:], 0
}

// found reports whether it is known when the first frames were made: a frame that was
// passed on has a possible time, or the dialect's frames have none.
func (c *frameClock) found() bool {
	if c.off || c.decoder.dialect.Time == nil {
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
		if !c.oneSession {
			f.session = sessionNamed(in)
		}
		f.copied = c.copies.has(in, f.at, f.session)
	})
	return f
}

// sessionNamed returns the session that a frame names, "" for none.
func sessionNamed(in *dialect.Input) string {
	if in.JSON == nil || in.JSON.Type() != fastjson.TypeObject {
		return ""
	}
	for _, path := range sessionNames {
		if id := in.JSON.GetStringBytes(path...); len(id) > 0 {
			return string(id)
		}
	}
	return ""
}

// possible reports whether a time is in the range in which frames are made.
func possible(at int64) bool {
	return at >= oldestTime && at <= Now()+int64(futureLimit)
}

// stamp sets the arrival time of the oldest frame without one, before the frame is decoded.
func (c *frameClock) stamp(f *schema.Frame) {
	if c.ifTimed && !c.timed() {
		c.turnOff()
	}
	c.ifTimed = false
	if c.off {
		return
	}
	own := &c.frames[0]
	defer func() {
		*own = datedFrame{}
		c.frames = c.frames[1:]
		c.passed--
	}()
	f.Cuts = nil // the cuts are reads of this import, not of the recording
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
	case !c.reread.summed(own.Seq):
	case own.copied && possible(own.at):
		c.summary.CopiedTimes++
	default:
		c.summary.Misdated++
	}
	if at == 0 { // frames before the first time of their session have that time
		for i, next := range c.following(0, true) {
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

// believed reports whether the time of frame i is used: it is not before the last time used in its
// session, and not after most of the times that follow. A file may repeat earlier lines, so the
// times of copies are compared only with the times of other copies.
func (c *frameClock) believed(at, before int64, i int) bool {
	if !possible(at) || at < before {
		return false
	}
	earlier, muchLater, all := 0, 0, 0
	for _, next := range c.following(i, c.frames[i].copied) {
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

// following yields the possible times of the session's frames that have arrived after frame i, with
// the indexes of the frames. With copied set it includes copies.
func (c *frameClock) following(i int, copied bool) iter.Seq2[int, int64] {
	return func(yield func(int, int64) bool) {
		now := c.session
		for i++; i < len(c.frames); i++ {
			f := c.read(&c.frames[i])
			if f.session != "" {
				now = f.session
			}
			if now == c.session && possible(f.at) && (copied || !f.copied) && !yield(i, f.at) {
				return
			}
		}
	}
}
