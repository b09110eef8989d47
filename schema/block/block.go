// Package block encodes the unit that travels through JetStream and lies in
// tape files: consecutive frames of one stream that belong to one session,
// with the facts that a dialect concluded from them. docs/format/block.md
// describes the bytes.
package block

import (
	"errors"
	"fmt"

	"tapedeck/schema"
)

// Block is a run of frames of one stream in one session, with their facts.
type Block struct {
	Tenant  string
	Session string
	State   schema.StreamState // as of the last frame of the block
	// Frames rise strictly in Seq. A stream whose frames belong to several
	// sessions leaves gaps; the missing frames are in the other sessions' blocks.
	Frames []schema.Frame
	Facts  Facts
	// Left are parts of the same stream in other sessions, of which nothing is
	// to be told but how they stand at their end.
	Left []Left
}

// Left is the stream's part in another session, at its end.
type Left struct {
	Session string
	State   schema.StreamState // StreamID is that of the block
}

// Facts are the facts that changed in a block, each as of its end.
type Facts struct {
	Spans    []schema.Span
	Messages []schema.Message
	Usages   []schema.Usage
}

// Len is the number of facts.
func (f *Facts) Len() int { return len(f.Spans) + len(f.Messages) + len(f.Usages) }

// Codec is how the body is compressed.
type Codec uint8

const (
	Plain Codec = iota
	S2          // for transit: fast
	Zstd        // for tape files: small
)

var (
	// ErrFormat is returned for bytes that are not a block, or a damaged one.
	ErrFormat = errors.New("not a valid block")
	// ErrVersion is returned for a block of a later version than this program reads.
	ErrVersion = errors.New("block of an unknown version")
)

// MaxBody bounds the decompressed body of a block that Decode accepts, bytes.
const MaxBody = 512 << 20

// VersionOf is the version that a block's head names; 0 where there is none.
func VersionOf(p []byte) byte {
	if len(p) < headSize || string(p[:len(magic)]) != magic {
		return 0
	}
	return p[len(magic)]
}

// Readable says which blocks this program does not read for their version: the error
// is ErrVersion.
func Readable(p []byte) error {
	if v := VersionOf(p); v > version {
		return fmt.Errorf("%w: %d, this program reads %d", ErrVersion, v, version)
	}
	return nil
}

const (
	magic   = "TDB"
	version = 1 // the next is 3, since 2 is that of a bundle
)
