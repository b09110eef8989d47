package engine

// Bounds of the engine's memory if Options.MemoryLimit is 0, which means a quarter of the machine's
// memory. The recorder, JetStream, the page cache and other programs need the rest.
const (
	leastMemory = 1 << 30
	mostMemory  = 8 << 30
)

// memoryShare returns the engine's share of total bytes of memory; a total of 0 means unknown.
func memoryShare(total uint64) uint64 {
	return min(max(total/4, leastMemory), mostMemory)
}

// DefaultMemory returns the bound of an engine whose Options.MemoryLimit is 0, bytes.
func DefaultMemory() uint64 { return memoryShare(totalMemory()) }
