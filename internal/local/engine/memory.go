package engine

// The engine's share of the machine when Options.MemoryLimit is 0: a quarter of
// the memory, within these bounds. The recorder, JetStream, the page cache and
// other programs need the rest.
const (
	leastMemory = 1 << 30
	mostMemory  = 8 << 30
)

// memoryShare sizes the engine for a machine with total bytes of memory; 0
// means unknown.
func memoryShare(total uint64) uint64 {
	return min(max(total/4, leastMemory), mostMemory)
}

// DefaultMemory returns the bound of an engine whose Options.MemoryLimit is 0, bytes.
func DefaultMemory() uint64 { return memoryShare(totalMemory()) }
