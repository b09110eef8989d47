package ingest

import "tapedeck/schema"

// Framer splits the bytes of one direction of one stream into frames. It processes one read at a
// time, so it is usable for files, bodies and proxied connections. The Raw bytes of the emitted
// frames, concatenated, are exactly the bytes that were read.
//
// Emitted frames have At, Transport, Raw, Cuts and the flags that a tap sets (except FlagNotJSON);
// Raw and Cuts are valid during emit only. The first error of emit ends the call and is returned.
type Framer interface {
	// Split processes the bytes of one read, which arrived at the given time (ns).
	Split(p []byte, at int64, emit func(*schema.Frame) error) error
	// End emits the remaining bytes when no more bytes follow. The frame is marked FlagUnterminated
	// if its message is incomplete.
	End(at int64, emit func(*schema.Frame) error) error
}

// DefaultFrameLimit bounds one frame, bytes. A longer message is recorded in pieces of this size,
// each marked FlagOversize, and is not decoded.
const DefaultFrameLimit = 16 << 20
