// Package eventstream splits the encoding application/vnd.amazon.eventstream into frames:
// one message, one frame.
package eventstream

import (
	"encoding/binary"
	"hash/crc32"

	"tapedeck/ingest"
	"tapedeck/ingest/framing"
	"tapedeck/schema"
)

// Framer splits messages. A frame is a message with its lengths, headers and checksums.
//   - A message that fails its checksum is marked FlagBadChecksum. It is decoded.
//   - Bytes that begin no message, according to the checksum of the lengths, are a
//     frame marked FlagBadChecksum, up to the next message or to the limit.
//   - A message of more bytes than the limit is divided into pieces of the limit,
//     each marked FlagOversize. Its checksum is not verified.
//   - A message that is incomplete at the end is marked FlagUnterminated.
//
// A Framer is not safe for use by several goroutines. After an error it must not be used
// again.
type Framer struct {
	buf   framing.Buffer
	limit int
	bad   int // number of pending bytes at which no message begins
	left  int // remaining bytes of a message over the limit, including the pending bytes
}

var _ ingest.Framer = (*Framer)(nil)

// NewFramer returns a framer that keeps messages of up to limit bytes whole; 0 means
// ingest.DefaultFrameLimit.
func NewFramer(limit int) *Framer {
	if limit <= 0 {
		limit = ingest.DefaultFrameLimit
	}
	return &Framer{buf: framing.New(schema.EventStream), limit: limit}
}

// portion bounds how many bytes are pending in addition to the bytes of one frame.
const portion = 64 << 10

// Split implements ingest.Framer.
func (c *Framer) Split(p []byte, at int64, emit func(*schema.Frame) error) error {
	if len(p) == 0 {
		return nil
	}
	c.buf.Begin(at)
	for len(p) > 0 {
		part := p[:min(len(p), portion)]
		p = p[len(part):]
		c.buf.Append(part)
		for {
			n, flags := c.next()
			if n == 0 {
				break
			}
			if err := c.buf.EmitFirst(n, flags, emit); err != nil {
				return err
			}
		}
	}
	c.buf.EndRead()
	return nil
}

// next returns the length and the flags of the first frame of the pending bytes; 0 while the frame
// is incomplete.
func (c *Framer) next() (n int, flags schema.Flags) {
	if c.left > 0 {
		return c.piece()
	}
	pending := c.buf.Pending()
	for ; c.bad < c.limit; c.bad++ {
		rest := pending[c.bad:]
		switch {
		case len(rest) < schema.EventPrelude:
			return 0, 0
		case !Begins(rest):
			continue
		case c.bad > 0:
			return c.damaged()
		}
		return c.message(rest)
	}
	return c.damaged()
}

// damaged returns the frame of the bytes that begin no message.
func (c *Framer) damaged() (n int, flags schema.Flags) {
	n, c.bad = c.bad, 0
	return n, schema.FlagBadChecksum
}

// message returns the frame of the message at the beginning of the pending bytes.
func (c *Framer) message(pending []byte) (n int, flags schema.Flags) {
	total, _, _ := schema.EventLengths(pending)
	if total > c.limit {
		c.left = total
		return c.piece()
	}
	if len(pending) < total {
		return 0, 0
	}
	end := total - 4
	if crc32.ChecksumIEEE(pending[:end]) != binary.BigEndian.Uint32(pending[end:total]) {
		flags = schema.FlagBadChecksum
	}
	return total, flags
}

// piece returns the next piece of a message that is over the limit.
func (c *Framer) piece() (n int, flags schema.Flags) {
	n = min(c.limit, c.left)
	if c.buf.Len() < n {
		return 0, 0
	}
	c.left -= n
	return n, schema.FlagOversize
}

// Begins reports whether the bytes begin with the lengths of a message and their checksum.
func Begins(p []byte) bool {
	_, _, ok := schema.EventLengths(p)
	return ok && crc32.ChecksumIEEE(p[:8]) == binary.BigEndian.Uint32(p[8:])
}

// End implements ingest.Framer.
func (c *Framer) End(_ int64, emit func(*schema.Frame) error) error {
	flags := schema.FlagUnterminated
	if c.left > 0 {
		flags |= schema.FlagOversize
	}
	if c.bad > 0 {
		flags |= schema.FlagBadChecksum
	}
	c.left, c.bad = 0, 0
	return c.buf.Emit(nil, flags, emit)
}
