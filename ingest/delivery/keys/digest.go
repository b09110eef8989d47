package keys

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"tapedeck/schema"
)

// Unit is the unit of a transport's offsets.
type Unit uint8

const (
	Bytes  Unit = iota // of the body
	Frames             // whole messages; their digest includes the boundaries between them
)

// Digest computes the SHA-256 of a stream, starting at an offset.
type Digest struct {
	unit Unit
	sum  hash.Hash
	skip uint64 // units before the offset
}

func newDigest(unit Unit, offset uint64) *Digest {
	return &Digest{unit: unit, sum: sha256.New(), skip: offset}
}

// Add adds the next frame.
func (d *Digest) Add(f *schema.Frame) {
	if d.unit == Bytes {
		d.AddBytes(f.Raw)
		return
	}
	if d.skip > 0 {
		d.skip--
		return
	}
	var head [9]byte
	binary.LittleEndian.PutUint64(head[:], uint64(len(f.Raw)))
	if f.Flags.Has(schema.FlagBinary) {
		head[8] = 1
	}
	_, _ = d.sum.Write(head[:]) // a hash does not return errors
	_, _ = d.sum.Write(f.Raw)
}

// leaveOut passes over units whose content is not known.
func (d *Digest) leaveOut(units uint64) { d.skip -= min(d.skip, units) }

// AddBytes adds the next bytes of a body.
func (d *Digest) AddBytes(p []byte) {
	n := min(d.skip, uint64(len(p)))
	d.skip -= n
	_, _ = d.sum.Write(p[n:]) // a hash does not return errors
}

// String returns the digest of the units that were added, in hexadecimal.
func (d *Digest) String() string { return hex.EncodeToString(d.sum.Sum(nil)) }
