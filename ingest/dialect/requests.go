package dialect

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	"tapedeck/schema"
)

// requestLimit bounds the requests of one stream that wait for their responses.
const requestLimit = 256

// Requests holds the requests of a JSON-RPC connection that wait for their responses. Both sides count their requests
// from the same number: a response goes in the opposite direction of its request. T is what a decoder keeps of a
// request.
type Requests[T any] struct{ waiting []request[T] }

type request[T any] struct {
	id        string // as JSON
	direction schema.Direction
	content   uint64 // hash of the message
	kept      T
}

// Add adds a request, whose message is raw.
func (r *Requests[T]) Add(id []byte, direction schema.Direction, raw []byte, kept T) {
	r.waiting = AppendRecent(r.waiting, request[T]{string(id), direction, xxhash.Sum64(raw), kept}, requestLimit)
}

// Await reports whether a request with an id waits for its response, and whether the message raw is that request
// again. JSON-RPC allows no other request with the id of one that waits.
func (r *Requests[T]) Await(id []byte, direction schema.Direction, raw []byte) (waits, again bool) {
	i := slices.IndexFunc(r.waiting, func(x request[T]) bool { return x.id == string(id) && x.direction == direction })
	if i < 0 {
		return false, false
	}
	return true, r.waiting[i].content == xxhash.Sum64(raw)
}

// Latest returns what is kept of the request that was added last, or nil. It is valid until the next call.
func (r *Requests[T]) Latest() *T {
	if len(r.waiting) == 0 {
		return nil
	}
	return &r.waiting[len(r.waiting)-1].kept
}

// Answer removes the request of a response, which has the id and the direction. It returns what was kept of it, and
// false for a response without a request.
func (r *Requests[T]) Answer(id []byte, direction schema.Direction) (kept T, found bool) {
	i := slices.IndexFunc(r.waiting, func(x request[T]) bool { return x.id == string(id) && x.direction != direction })
	if id == nil || i < 0 {
		return kept, false
	}
	kept = r.waiting[i].kept
	r.waiting = slices.Delete(r.waiting, i, i+1)
	return kept, true
}
