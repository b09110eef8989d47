package loom

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	"tapedeck/schema"
)

// lane is a series of frames with one count of event_ids: a session in a stream of lines, a run
// on a WebSocket.
type lane struct {
	key     string // the session_id, or the wrapper's id
	wrapped bool   // key is a wrapper's id
	session string // the conversation's name in frames
	count   sequence
	run     *run   // the run in progress, nil between runs
	over    bool   // its latest run has ended
	runs    uint64 // number of runs that ended
	used    uint64 // Seq of its latest frame
}

// A stream may have any number of sessions one after the other. A lane without a run in progress
// keeps its count only, and only the latest of such lanes are kept.
const (
	openLimit = 256 // lanes with a run in progress
	pastLimit = 32  // lanes without
)

// pastLane is the state of a lane between its runs.
type pastLane struct {
	hash  uint64 // of its key, which may be long
	count sequence
	over  bool
	runs  uint64
}

func hashOf(key string, wrapped bool) uint64 {
	h := xxhash.Sum64String(key)
	if wrapped {
		h = ^h
	}
	return h
}

// lanes holds the lanes with a run in progress, and the lane used last.
type lanes struct {
	open  []*lane
	past  []pastLane // the latest last
	cur   *lane
	named bool // a session was named in this stream
}

// find returns the lane known under a key, or nil.
func (ls *lanes) find(key []byte, wrapped bool) *lane {
	if c := ls.cur; c != nil && c.wrapped == wrapped && c.key == string(key) {
		return c
	}
	for _, l := range ls.open {
		if l.wrapped == wrapped && l.key == string(key) {
			return l
		}
	}
	return nil
}

// running returns the lane used last that has a run in progress, on a WebSocket or not, and the
// number of such lanes.
func (ls *lanes) running(wrapped bool) (latest *lane, n int) {
	for _, l := range ls.open {
		if l.wrapped != wrapped || l.run == nil {
			continue
		}
		n++
		if latest == nil || l.used > latest.used {
			latest = l
		}
	}
	return latest, n
}

// remembers reports whether a session is known.
func (ls *lanes) remembers(session []byte) bool {
	h := hashOf(string(session), false)
	for i := range ls.past {
		if ls.past[i].hash == h {
			return true
		}
	}
	return false
}

// add makes a lane, with the count that is kept for it.
func (ls *lanes) add(key []byte, wrapped bool, f *schema.Frame) *lane {
	l := &lane{key: string(key), wrapped: wrapped, used: f.Seq}
	if !wrapped {
		l.session = l.key
		ls.named = ls.named || l.key != ""
	}
	h := hashOf(l.key, wrapped)
	for i, p := range ls.past {
		if p.hash == h {
			l.count, l.over, l.runs = p.count, p.over, p.runs
			ls.past = append(ls.past[:i], ls.past[i+1:]...)
			break
		}
	}
	ls.open = append(ls.open, l)
	return l
}

// crowded returns the lane without frames for longest if there are too many, or nil.
func (ls *lanes) crowded() *lane {
	if len(ls.open) <= openLimit {
		return nil
	}
	oldest := ls.open[0]
	for _, l := range ls.open {
		if l.used < oldest.used {
			oldest = l
		}
	}
	return oldest
}

// use makes a lane the present one. The previous one retires if it has no run in progress.
func (ls *lanes) use(l *lane, f *schema.Frame) {
	l.used = f.Seq
	if ls.cur == l {
		return
	}
	if before := ls.cur; before != nil && before.run == nil {
		ls.retire(before)
	}
	ls.cur = l
}

// retire keeps of a lane only what is needed if it comes back.
func (ls *lanes) retire(l *lane) {
	for i, o := range ls.open {
		if o == l {
			ls.open = append(ls.open[:i], ls.open[i+1:]...)
			break
		}
	}
	if len(ls.open) < cap(ls.open)/8 {
		ls.open = slices.Clone(ls.open) // releases the memory of a long list
	}
	if len(ls.past) >= pastLimit {
		ls.past = append(ls.past[:0], ls.past[1:]...)
	}
	ls.past = append(ls.past, pastLane{hashOf(l.key, l.wrapped), l.count, l.over, l.runs})
	if ls.cur == l {
		ls.cur = nil
	}
}

// ended ends a lane's run.
func (l *lane) ended() {
	l.run, l.over, l.count.ended = nil, true, true
	l.runs++
}
