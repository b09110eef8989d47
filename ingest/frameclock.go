package ingest

import (
	"iter"
	"time"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// frameClock takes arrival times from inside the frames. Each session has times of
// its own, since a file may hold an earlier one after a later one; within a session
// they never go back. An impossible time is ignored and counted: the frame takes the
// time of the one before it, and its bytes stay as they are.
type frameClock struct {
	sessions map[string]int64 // the latest time used in each session, ns
	session  string           // that of the frame before
	latest   int64            // the time used last, ns; 0 before the first
	end      int64            // the greatest time used, ns
}

const (
	// clockSessions bounds the sessions that times are kept of.
	clockSessions = 1024
	// clockAhead is how many frames are looked at to judge the time of one, and
	// clockAheadBytes how many bytes of them are held.
	clockAhead      = 32
	clockAheadBytes = 256 << 10
	// oldestTime is before any agent; futureLimit allows for clocks that are wrong.
	oldestTime  = 946684800 * int64(time.Second) // 2000
	futureLimit = 24 * time.Hour
	// strayFirst is how long before all that follow a first time may lie.
	strayFirst = 365 * 24 * time.Hour
)

// dated is the session and the time that a frame states.
type dated struct {
	session string // "" for none
	at      int64  // ns, 0 for none
}

// sessionNames are the members in which frames that have times name their session.
var sessionNames = [...][]string{
	{"sessionId"}, {"session_id"}, {"sessionID"}, {"threadId"}, {"thread_id"}, {"exec_id"},
	{"properties", "sessionID"}, {"properties", "part", "sessionID"}, {"properties", "info", "sessionID"},
}

// dateOf reads a frame's session and time.
func (s *Stream) dateOf(f *schema.Frame) (d dated) {
	s.look(f, func(in *dialect.Input) {
		d.at = s.decoder.time(in)
		if s.opts.Session != "" || in.JSON == nil || in.JSON.Type() != fastjson.TypeObject {
			return // all of them are of one session, or it names none
		}
		for _, path := range sessionNames {
			if id := in.JSON.GetStringBytes(path...); len(id) > 0 {
				d.session = string(id)
				return
			}
		}
	})
	return d
}

// possible reports whether a time may be that of a frame at all.
func possible(at int64) bool {
	return at >= oldestTime && at <= Now()+int64(futureLimit)
}

// stamp sets a frame's arrival time, before it is decoded.
func (s *Stream) stamp(f *schema.Frame) {
	f.Cuts = nil // they are the reads of this import, not of the recording
	c := &s.clock
	if s.decoder.time == nil {
		if c.latest == 0 {
			c.latest, c.end = f.At, f.At
		}
		f.At = c.latest
		return
	}
	own := s.dateOf(f)
	if own.session != "" {
		c.session = own.session
	}
	before := c.sessions[c.session]
	at := before
	switch {
	case own.at == 0:
	case s.believed(own.at, before, c.session, f.Seq):
		at, s.summary.Timed = own.at, true
	default:
		s.summary.Misdated++
	}
	if at == 0 { // what comes before the first time of its session arrived with it
		for seq, d := range s.following(f.Seq, c.session) {
			if s.believed(d.at, 0, c.session, seq) {
				at, s.summary.Timed = d.at, true
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

// believed reports whether a frame's time is used: it does not lie before the time
// used last in its session, nor after most of those that follow.
func (s *Stream) believed(at, before int64, session string, seq uint64) bool {
	if !possible(at) || at < before {
		return false
	}
	earlier, muchLater, all := 0, 0, 0
	for _, d := range s.following(seq, session) {
		all++
		switch {
		case d.at < at:
			earlier++
		case d.at-at > int64(strayFirst):
			muchLater++
		}
	}
	stray := before == 0 && all >= 3 && muchLater == all
	return 2*earlier <= all && !stray
}

// following returns the possible times of the frames of a session after one, as far as
// they are held, with the frames' numbers.
func (s *Stream) following(seq uint64, session string) iter.Seq2[uint64, dated] {
	return func(yield func(uint64, dated) bool) {
		now := session
		lists := [2][]heldFrame{nil, s.ahead}
		if s.hold != nil {
			lists[0] = s.hold.frames
		}
		for _, list := range lists {
			for i := range list {
				f := &list[i]
				if f.Seq <= seq {
					continue
				}
				if !f.looked {
					f.dated, f.looked = s.dateOf(&f.Frame), true
				}
				if f.dated.session != "" {
					now = f.dated.session
				}
				if now == session && possible(f.dated.at) && !yield(f.Seq, f.dated) {
					return
				}
			}
		}
	}
}

// lookAhead holds a frame back until the frames that judge its time have arrived.
func (s *Stream) lookAhead(f *schema.Frame) {
	s.aheadSince = time.Now()
	s.arm(s.recorder.settings.HoldFor)
	s.ahead = append(s.ahead, held(f))
	s.aheadBytes += len(f.Raw)
	for len(s.ahead) > clockAhead || s.aheadBytes > clockAheadBytes {
		s.takeAhead()
	}
}

// releaseAhead takes all frames that are held back, without waiting for more.
func (s *Stream) releaseAhead() {
	for len(s.ahead) > 0 {
		s.takeAhead()
	}
}

func (s *Stream) takeAhead() {
	f := s.ahead[0].Frame
	s.ahead[0] = heldFrame{}
	s.ahead = s.ahead[1:]
	s.aheadBytes -= len(f.Raw)
	s.take(&f)
}
