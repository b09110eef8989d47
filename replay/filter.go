package replay

import (
	"slices"

	"tapedeck/schema"
)

// Filter chooses frames. Of every kind an empty list lets all through; else a
// frame must be among the values.
type Filter struct {
	Types      []string
	Agents     []string
	Directions []schema.Direction
	// Bytes leaves out what is not among the bytes that a stream brought: heads
	// of HTTP messages, and notes on a WebSocket.
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

// aside reports whether the frame was written beside the stream by whoever
// recorded it. Notes of lines and events are blank lines and comments, which came.
func aside(f *schema.Frame) bool {
	return f.Flags.Has(schema.FlagNote) && (f.Transport == schema.HTTP || f.Transport == schema.WebSocket)
}

func among[T comparable](list []T, v T) bool { return len(list) == 0 || slices.Contains(list, v) }
