package jetstream

// Decoded returns the number of blocks that the reader has decoded.
func (r *WaitingReader) Decoded() uint64 { return r.decoded.Load() }

// DrainPrefix precedes the subjects of partitions that receive no more blocks.
const DrainPrefix = drainPrefix
