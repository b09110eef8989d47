package dialect

import (
	"slices"

	"github.com/cespare/xxhash/v2"
)

// Recent is a bounded set of the latest ids, for example of messages or calls that have ended. It
// takes 8 bytes for each id. The zero value is empty. No set contains the empty id.
type Recent struct {
	hashes []uint64 // a ring once it is full
	next   int      // place of the oldest in a full ring
}

// Add adds an id, even if the set contains it already. It evicts the oldest id beyond limit,
// which must be the same in all calls for one set.
func (r *Recent) Add(id []byte, limit int) {
	if len(id) > 0 {
		r.AddHash(xxhash.Sum64(id), limit)
	}
}

// AddHash is Add for a hash in place of an id.
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

// HasHash is Has for a hash in place of an id.
func (r *Recent) HasHash(hash uint64) bool { return slices.Contains(r.hashes, hash) }

// Note adds an id unless the set contains it, and reports whether it did.
func (r *Recent) Note(id []byte, limit int) (known bool) {
	if known = r.Has(id); !known {
		r.Add(id, limit)
	}
	return known
}

// Clear empties the set and keeps its memory.
func (r *Recent) Clear() { r.hashes, r.next = r.hashes[:0], 0 }

// Len returns the number of ids in the set.
func (r *Recent) Len() int { return len(r.hashes) }
