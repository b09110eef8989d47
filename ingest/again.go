package ingest

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// Lens looks at stored frames as a Stream looks at those that arrive, for who
// decodes them anew. The zero value is ready for use. It serves one goroutine.
type Lens struct{ stream Stream }

// Look prepares a frame for a dialect (framing off, JSON parsed), marks it
// FlagNotJSON where its message is not one JSON value, and calls see. What see
// is given is valid during the call.
func (l *Lens) Look(f *schema.Frame, see func(in *dialect.Input)) { l.stream.look(f, see) }

// Count adds what is special about a frame, by its flags, and the number of
// frames lost before it.
func Count(c *schema.Counters, flags schema.Flags, lost uint64) { count(c, flags, lost) }

// StateVersion is the version of the state of a stream's part whose last frame is
// lastSeq.
func StateVersion(state schema.StreamState, lastSeq uint64) uint64 {
	return stateVersion(&part{state: state, lastSeq: lastSeq})
}
