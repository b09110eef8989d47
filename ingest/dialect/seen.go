package dialect

// Seen is a set of ids for a whole session, such as the ids of a file's lines. It keeps an 8-byte
// hash of each, of at least the latest limit/2 ids, and never more than limit. The zero value is
// empty. Unlike Recent it is looked up without a scan.
type Seen struct {
	ids, older map[uint64]struct{} // older is full, and is dropped once ids is
}

// Note adds the hash of an id and reports whether the set contained it.
func (s *Seen) Note(hash uint64, limit int) (known bool) {
	if s.Has(hash) {
		return true
	}
	if len(s.ids) >= limit/2 {
		s.ids, s.older = nil, s.ids
	}
	if s.ids == nil {
		s.ids = map[uint64]struct{}{}
	}
	s.ids[hash] = struct{}{}
	return false
}

// Has reports whether the set contains the hash of an id.
func (s *Seen) Has(hash uint64) bool {
	_, known := s.ids[hash]
	if !known {
		_, known = s.older[hash]
	}
	return known
}

// Clear empties the set and releases its memory.
func (s *Seen) Clear() { *s = Seen{} }
