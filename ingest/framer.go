// Package ingest holds what all taps share. A tap reads one transport, has a
// Framer cut its bytes into frames, and hands the frames to a Stream, which
// decodes them, packs frames and facts into blocks and has a Publisher carry
// the blocks on.
package ingest

import "tapedeck/schema"

// Framer cuts the bytes of one direction of one stream into frames. It is fed
// the bytes read by read, so that it serves a file, a body and bytes that pass
// by alike. The Raw bytes of the frames it emits are, end to end, exactly the
// bytes it was fed.
//
// Emitted frames have At, Transport, Raw, Cuts and the flags that a tap sets
// (but FlagNotJSON); Raw and Cuts are valid during emit only. The first error
// of emit ends the call and is returned.
type Framer interface {
	// Cut takes the bytes of one read, which arrived at the given time (ns).
	Split(p []byte, at int64, emit func(*schema.Frame) error) error
	// End says that no more will come: what is left over is a frame, marked
	// FlagUnterminated where its message is not complete.
	End(at int64, emit func(*schema.Frame) error) error
}

// DefaultFrameLimit bounds one frame, bytes. A longer message is kept in
// pieces of this size, each marked FlagOversize, and is not decoded.
const DefaultFrameLimit = 16 << 20
