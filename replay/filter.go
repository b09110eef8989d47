package replay

import (
	"slices"

	"tapedeck/schema"
)

// Filter selects frames. An empty list passes all values; otherwise a frame's value
// must be in the list.
type Filter struct {
	Types      []string
	Agents     []string
	Directions []schema.Direction
	// Bytes excludes frames that are not part of the stream's bytes: heads of HTTP messages, and
	// notes on a WebSocket.
	Bytes bool
}

// Match reports whether the frame passes.
func (f *Filter) Match(fr *schema.Frame) bool {
	return among(f.Types, fr.Type) && among(f.Agents, fr.Agent) &&
		among(f.Directions, fr.Direction) && !(f.Bytes && aside(fr))
}

// All reports whether every frame passes.
func (f *Filter) All() bool {
	return len(f.Types)+len(f.Agents)+len(f.Directions) == 0 && !f.Bytes
}

// aside reports whether the recorder added the frame, which the stream did not contain. Notes of
// line and event streams are blank lines and comments, which the stream did contain.
func aside(f *schema.Frame) bool {
	return f.Flags.Has(schema.FlagNote) &&
		(f.Transport == schema.HTTP || f.Transport == schema.WebSocket || f.Transport == schema.NATS)
}

func among[T comparable](list []T, v T) bool { return len(list) == 0 || slices.Contains(list, v) }
