package websocket

import (
	"encoding/binary"
	"errors"
	"sync"

	"tapedeck/ingest"
	"tapedeck/ingest/framing"
	"tapedeck/schema"
)

// Framer splits the bytes of one direction of a WebSocket connection, beginning after the
// handshake, into messages (RFC 6455, section 5). It does not take part in the protocol: pings,
// pongs and close frames make no frames. It is an ingest.Framer, except that Raw is a message's
// payload.
//
// Violations of the protocol are recorded as far as possible: a message that is interrupted
// by another one is marked schema.FlagUnterminated, an undefined opcode counts as binary,
// and bytes after an invalid length are frames of the transport HTTP, unchanged.
type Framer struct {
	// Masked makes the framer fail with errUnmasked at a frame without a mask, which is not
	// recorded. It is set for the frames of clients (RFC 6455, section 5.1).
	Masked bool

	message  *message
	after    *framing.Buffer // for bytes after a protocol violation; nil before
	inflater Inflater        // nil if permessage-deflate was not negotiated

	head       [14]byte // the header of the frame that is being read
	have, need int
	fin        bool
	opcode     byte
	left       uint64 // bytes of the payload to come
	masked     bool
	key        [4]byte
	keyAt      int

	compressed bool   // the message that is being read is compressed
	control    []byte // the payload of a control frame
	closed     bool
	code       int
	reason     string
	broken     bool

	emit func(*schema.Frame) error // emit function of the current call of Split
}

// Inflater decodes permessage-deflate (RFC 7692). Its input is the payloads of compressed messages,
// each followed by the tail that the sender removed.
type Inflater interface {
	Decode(p []byte, out func([]byte) error) error
	Stop()
}

// deflateTail is the tail that a sender removes from each message (RFC 7692, section 7.2.2).
var deflateTail = []byte{0x00, 0x00, 0xff, 0xff}

const (
	opContinuation = 0x0
	opBinary       = 0x2
	opControl      = 0x8 // set in all control opcodes
	opClose        = 0x8
	maxControl     = 125
	smallestHeader = 2
)

var _ ingest.Framer = (*Framer)(nil)

// errUnmasked reports a client that does not mask its frames.
var errUnmasked = errors.New("the client sent a frame without a mask (RFC 6455, section 5.1)")

// NewFramer returns a framer. A message of more than limit bytes is divided into pieces marked
// schema.FlagOversize. inflater is nil unless permessage-deflate was negotiated; the framer stops
// it when the input ends.
func NewFramer(limit int, inflater Inflater) *Framer {
	return &Framer{message: newMessage(limit), inflater: inflater, need: smallestHeader}
}

// Closed returns the code and the reason of the close frame, if one arrived. The code is 1005 if
// the frame had none.
func (c *Framer) Closed() (code int, reason string, ok bool) { return c.code, c.reason, c.closed }

// Pending returns the number of bytes of the incomplete message.
func (c *Framer) Pending() int { return c.message.buf.Len() }

// follows returns the number of bytes of the current frame that follow after n more bytes of the
// connection; negative if no frame of a message is being read, or if it ends within them.
func (c *Framer) follows(n int) int64 {
	if c.opcode&opControl != 0 || c.left == 0 || c.left>>63 != 0 {
		return -1
	}
	return int64(c.left) - int64(n)
}

// Split splits the bytes of one read.
func (c *Framer) Split(p []byte, at int64, emit func(*schema.Frame) error) error {
	if len(p) == 0 {
		return nil
	}
	c.emit = emit
	c.message.beginRead(at)
	for len(p) > 0 && !c.broken {
		if c.have < c.need {
			n := copy(c.head[c.have:c.need], p)
			c.have, p = c.have+n, p[n:]
			if c.have < c.need || !c.headRead() {
				continue
			}
			if err := c.begin(); err != nil {
				return err
			}
		} else {
			n := int(min(c.left, uint64(len(p))))
			if err := c.payload(p[:n]); err != nil {
				return err
			}
			c.left, p = c.left-uint64(n), p[n:]
		}
		if c.left == 0 && !c.broken {
			if err := c.end(); err != nil {
				return err
			}
		}
	}
	if c.broken {
		if c.after == nil {
			after := framing.New(schema.HTTP)
			c.after = &after
		}
		c.after.Begin(at)
		return c.after.Emit(p, 0, emit)
	}
	c.message.endRead()
	return nil
}

// End ends the input.
func (c *Framer) End(_ int64, emit func(*schema.Frame) error) error {
	if c.inflater != nil {
		c.inflater.Stop()
	}
	return c.message.end(false, emit)
}

// headRead reads the header as far as it has arrived, and reports whether it is complete.
func (c *Framer) headRead() bool {
	c.masked = c.head[1]&0x80 != 0
	size := smallestHeader
	switch c.head[1] & 0x7f {
	case 126:
		size += 2
	case 127:
		size += 8
	}
	lengthEnd := size
	if c.masked {
		size += 4
	}
	if c.need = size; c.have < size {
		return false
	}
	switch lengthEnd {
	case 4:
		c.left = uint64(binary.BigEndian.Uint16(c.head[2:]))
	case 10:
		c.left = binary.BigEndian.Uint64(c.head[2:])
	default:
		c.left = uint64(c.head[1] & 0x7f)
	}
	if c.masked {
		c.key = [4]byte(c.head[lengthEnd:size])
	}
	c.keyAt = 0
	c.fin, c.opcode = c.head[0]&0x80 != 0, c.head[0]&0x0f
	return true
}

// begin starts a frame whose header was read.
func (c *Framer) begin() error {
	if c.Masked && !c.masked {
		return errors.Join(errUnmasked, c.message.end(false, c.emit))
	}
	c.broken = c.left>>63 != 0
	if c.broken {
		return c.message.end(false, c.emit)
	}
	if c.opcode&opControl != 0 {
		c.control = c.control[:0]
		return nil
	}
	if c.opcode == opContinuation && c.message.open {
		return nil
	}
	if err := c.message.end(false, c.emit); err != nil {
		return err
	}
	const rsv1 = 0x40
	c.compressed = c.head[0]&rsv1 != 0 && c.inflater != nil
	c.message.begin(c.opcode >= opBinary)
	return nil
}

// payload processes a piece of a frame's payload.
func (c *Framer) payload(p []byte) error {
	if c.masked {
		scratch := scratches.Get().(*[]byte)
		defer scratches.Put(scratch)
		*scratch = append((*scratch)[:0], p...)
		p = *scratch
		c.unmask(p)
	}
	switch {
	case c.opcode&opControl != 0:
		room := maxControl - len(c.control)
		c.control = append(c.control, p[:min(room, len(p))]...)
		return nil
	case c.compressed:
		return c.inflate(p, true)
	}
	return c.message.append(p, c.emit)
}

// end ends a frame.
func (c *Framer) end() error {
	c.have, c.need = 0, smallestHeader
	if c.opcode&opControl != 0 {
		if c.opcode == opClose && !c.closed {
			c.readClose()
		}
		return nil
	}
	if !c.fin {
		return nil
	}
	if c.compressed {
		if err := c.inflate(deflateTail, false); err != nil {
			return err
		}
	}
	return c.message.end(true, c.emit)
}

func (c *Framer) readClose() {
	c.closed, c.code = true, 1005
	if len(c.control) >= 2 {
		c.code, c.reason = int(binary.BigEndian.Uint16(c.control)), string(c.control[2:])
	}
}

// scratches are shared between framers, so that an idle framer holds no memory.
var scratches = sync.Pool{New: func() any { return new([]byte) }}

// unmask removes the masking of a payload (RFC 6455, section 5.3), in place.
func (c *Framer) unmask(p []byte) {
	var wide [8]byte
	for i := range wide {
		wide[i] = c.key[(c.keyAt+i)&3]
	}
	key := binary.NativeEndian.Uint64(wide[:])
	i := 0
	for ; i+8 <= len(p); i += 8 {
		binary.NativeEndian.PutUint64(p[i:], binary.NativeEndian.Uint64(p[i:])^key)
	}
	for ; i < len(p); i++ {
		p[i] ^= c.key[(c.keyAt+i)&3]
	}
	c.keyAt = (c.keyAt + len(p)) & 3
}

// inflate decodes a piece of a compressed message; came is false for the tail that the sender
// removed. If decoding fails, the bytes that were decoded become a frame, and later payloads are
// recorded undecoded.
func (c *Framer) inflate(p []byte, came bool) error {
	var failed error // an error of the recorder, not of the bytes
	err := c.inflater.Decode(p, func(out []byte) error {
		failed = c.message.append(out, c.emit)
		return failed
	})
	if err == nil || failed != nil {
		return failed
	}
	c.inflater.Stop()
	c.inflater, c.compressed = nil, false
	if err := c.message.end(false, c.emit); err != nil || !came {
		return err
	}
	c.message.begin(true)
	return c.message.append(p, c.emit)
}
