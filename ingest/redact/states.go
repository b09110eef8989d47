package redact

// state holds the automaton's node for a channel, and the byte before the text on the path to that
// node.
type state struct {
	node   uint16
	before byte
}

// states maps channels to states. It is a hash table with linear probing, since most frames change
// some states. A channel whose state becomes empty stays in the table until the table grows.
type states struct {
	entries []stateEntry // the length is a power of two
	used    int
}

type stateEntry struct {
	channel uint64 // 0 for an unused entry
	state
}

func (s *states) get(channel uint64) state { return s.find(channel).value() }

// find returns the entry of a channel, nil if there is none. The entry is valid until set is
// called. Channel 0, for texts that no other text continues, has no entry.
func (s *states) find(channel uint64) *stateEntry {
	if s.used == 0 || channel == 0 {
		return nil
	}
	mask := uint64(len(s.entries) - 1)
	for i := channel >> 7; ; i++ {
		e := &s.entries[i&mask]
		if e.channel == channel {
			return e
		}
		if e.channel == 0 {
			return nil
		}
	}
}

// value returns the state of an entry; the empty state for a nil entry.
func (e *stateEntry) value() state {
	if e == nil {
		return state{}
	}
	return e.state
}

func (s *states) set(channel uint64, to state) {
	if channel == 0 {
		return
	}
	if s.used*4 >= len(s.entries)*3 {
		s.grow()
	}
	mask := uint64(len(s.entries) - 1)
	for i := channel >> 7; ; i++ {
		e := &s.entries[i&mask]
		if e.channel == channel {
			e.state = to
			return
		}
		if e.channel == 0 {
			if to != (state{}) {
				*e = stateEntry{channel, to}
				s.used++
			}
			return
		}
	}
}

// grow removes empty states, and doubles the table if that does not free enough entries. At
// stateLimit entries it clears the table.
func (s *states) grow() {
	old := s.entries
	live := 0
	for i := range old {
		if old[i].state != (state{}) {
			live++
		}
	}
	size := max(len(old), 16)
	for live*2 > size {
		size *= 2
	}
	if live >= stateLimit {
		old, size = nil, 16
	}
	*s = states{entries: make([]stateEntry, size)}
	for i := range old {
		if old[i].state != (state{}) {
			s.set(old[i].channel, old[i].state)
		}
	}
}
