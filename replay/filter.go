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
	Transports []schema.Transport
}

// Match reports whether the frame passes.
func (f *Filter) Match(fr *schema.Frame) bool {
	return among(f.Types, fr.Type) && among(f.Agents, fr.Agent) &&
		among(f.Directions, fr.Direction) && among(f.Transports, fr.Transport)
}

// All reports whether every frame passes.
func (f *Filter) All() bool {
	return len(f.Types)+len(f.Agents)+len(f.Directions)+len(f.Transports) == 0
}

func among[T comparable](list []T, v T) bool { return len(list) == 0 || slices.Contains(list, v) }
