package dialect

import (
	"slices"

	"github.com/cespare/xxhash/v2"
)

// Recent is a bounded set of the ids that were added last, such as those of
// messages and calls that have ended. It keeps 8 bytes for each. The zero value
// is empty. An empty id is in no set.
type Recent struct {
	hashes []uint64 // a ring once it is full
	next   int      // place of the oldest in a full ring
}

// Add adds an id, also one that the set contains already. Beyond limit the
// oldest is evicted; limit is the same in all calls for one set.
func (r *Recent) Add(id []byte, limit int) {
	if len(id) > 0 {
		r.AddHash(xxhash.Sum64(id), limit)
	}
}

// AddHash is Add for what is identified by a hash.
func (r *Recent) AddHash(hash uint64, limit int) {
	if len(r.hashes) < limit {
		r.hashes = append(r.hashes, hash)
		return
	}
	r.hashes[r.next] = hash
	r.next = (r.next + 1) % limit
}

// Has reports whether an id is in the set.
func (r *Recent) Has(id []byte) bool { return len(id) > 0 && r.HasHash(xxhash.Sum64(id)) }

// HasHash is Has for what is identified by a hash.
func (r *Recent) HasHash(hash uint64) bool { return slices.Contains(r.hashes, hash) }

// Note adds an id and reports whether it was in the set before; then it is not
// added again.
func (r *Recent) Note(id []byte, limit int) (known bool) {
	if known = r.Has(id); !known {
		r.Add(id, limit)
	}
	return known
}

// Clear empties the set and keeps its memory.
func (r *Recent) Clear() { r.hashes, r.next = r.hashes[:0], 0 }

// Len is the number of ids in the set.
func (r *Recent) Len() int { return len(r.hashes) }
