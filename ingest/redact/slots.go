package redact

// slot is where a channel is in the automaton, with the byte before what led there.
type slot struct {
	node   uint16
	before byte
}

// slots maps channels to their slots. Most frames change some: it is a hash table with
// linear probing that keeps the channels whose slot is empty again until it grows.
type slots struct {
	entries []slotEntry // a power of two
	used    int
}

type slotEntry struct {
	channel uint64 // 0: none
	slot
}

func (s *slots) get(channel uint64) slot { return s.find(channel).value() }

// find returns the entry of a channel, nil for none. It is valid until set is called. Channel 0 is that of texts that
// stand alone, which no other continues: it has none.
func (s *slots) find(channel uint64) *slotEntry {
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

// value returns the slot of an entry, the empty one for none.
func (e *slotEntry) value() slot {
	if e == nil {
		return slot{}
	}
	return e.slot
}

func (s *slots) set(channel uint64, to slot) {
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
			e.slot = to
			return
		}
		if e.channel == 0 {
			if to != (slot{}) {
				*e = slotEntry{channel, to}
				s.used++
			}
			return
		}
	}
}

// grow drops the empty slots and doubles the table if that is not enough. At slotLimit it
// begins anew.
func (s *slots) grow() {
	old := s.entries
	live := 0
	for i := range old {
		if old[i].slot != (slot{}) {
			live++
		}
	}
	size := max(len(old), 16)
	for live*2 > size {
		size *= 2
	}
	if live >= slotLimit {
		old, size = nil, 16
	}
	*s = slots{entries: make([]slotEntry, size)}
	for i := range old {
		if old[i].slot != (slot{}) {
			s.set(old[i].channel, old[i].slot)
		}
	}
}
