package ingest

import "tapedeck/schema"

// Framer splits the bytes of one direction of one stream into frames. It takes the bytes
// read by read, so that it serves files, bodies and proxied connections. The Raw bytes of
// the frames that it emits are, end to end, exactly the bytes that it took.
//
// Emitted frames have At, Transport, Raw, Cuts and the flags that a tap sets (but
// FlagNotJSON); Raw and Cuts are valid during emit only. The first error of emit ends the
// call and is returned.
type Framer interface {
	// Split takes the bytes of one read, which arrived at the given time (ns).
	Split(p []byte, at int64, emit func(*schema.Frame) error) error
	// End emits what is left over once no more bytes follow. The frame is marked
	// FlagUnterminated where its message is not complete.
	End(at int64, emit func(*schema.Frame) error) error
}

// DefaultFrameLimit bounds one frame, bytes. A longer message is kept in
// pieces of this size, each marked FlagOversize, and is not decoded.
const DefaultFrameLimit = 16 << 20
