// Package block encodes the unit that travels through JetStream and is stored in tape
// files: consecutive frames of one stream that belong to one session, with the facts that a
// dialect derived from them. docs/format/block.md specifies the bytes.
package block

import (
	"encoding/binary"
	"errors"
	"fmt"

	"tapedeck/schema"
)

// Block is a run of frames of one stream in one session, with their facts.
type Block struct {
	Tenant  string
	Session string
	State   schema.StreamState // after the last frame of the block
	// Frames are in strictly ascending order of Seq. If a stream's frames belong to several
	// sessions, there are gaps; the missing frames are in the other sessions' blocks.
	Frames []schema.Frame
	Facts  Facts
	// Left has the segments of the same stream in other sessions of which only the final state
	// changed.
	Left []Left
}

// Left is the final state of the stream's segment in another session.
type Left struct {
	Session string
	State   schema.StreamState // its StreamID is that of the block
}

// Facts are the facts that changed in a block, in their state at the end of the block.
type Facts struct {
	Spans    []schema.Span
	Messages []schema.Message
	Usages   []schema.Usage
}

// Len returns the number of facts.
func (f *Facts) Len() int { return len(f.Spans) + len(f.Messages) + len(f.Usages) }

// Codec is the compression of the body.
type Codec uint8

const (
	Plain Codec = iota
	S2          // for transit: fast
	Zstd        // for tape files: small
)

var (
	// ErrFormat is the error for bytes that are not a block, or are damaged.
	ErrFormat = errors.New("not a valid block")
	// ErrVersion is the error for a block of a version that this program cannot read.
	ErrVersion = errors.New("block of an unknown version")
)

// MaxBody bounds the decompressed body of a block that Decode accepts, bytes.
const MaxBody = 512 << 20

// VersionOf returns the version in a block's header; 0 if there is none.
func VersionOf(p []byte) byte {
	if len(p) < headSize || string(p[:len(magic)]) != magic {
		return 0
	}
	return p[len(magic)]
}

// BodySize returns the size of the decompressed body as the header states it, bytes; 0 if p is not a
// block that this program can read. A block that states too little cannot be decoded.
func BodySize(p []byte) int {
	if v := VersionOf(p); v == 0 || readable(v) != nil {
		return 0
	}
	return int(binary.LittleEndian.Uint32(p[len(magic)+2:]))
}

// Readable returns ErrVersion if this program cannot read the version of the block.
func Readable(p []byte) error {
	if v := VersionOf(p); v != 0 {
		return readable(v)
	}
	return nil
}

func readable(v byte) error {
	if v != first && v != version {
		return fmt.Errorf("%w: %d, this program reads %d and %d", ErrVersion, v, first, version)
	}
	return nil
}

const (
	magic   = "TDB"
	version = 3 // usages with billing; 2 is the version of a bundle
	first   = 1
)
