package upload

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"tapedeck/ingest"
)

// A parcel's message:
//
//	u32 little-endian   length of all that follows, bytes
//	three strings, each a uvarint length and its bytes: id, tenant, session
//	uvarint             number of frames
//	the block, up to the end
const messageHead = 4

// maxNames bounds what stands before the block, bytes.
const maxNames = 4096

// errMessage is for a message that is not a parcel.
var errMessage = errors.New("not a parcel")

// tooLargeError is for a message over the limit.
type tooLargeError struct{ size, limit int64 }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("message of %d bytes, the limit is %d", e.size, e.limit)
}

// appendMessage appends a parcel's message to b.
func appendMessage(b []byte, p *ingest.EncodedBlock) []byte {
	start := len(b)
	b = append(b, make([]byte, messageHead)...)
	for _, s := range [...]string{p.ID, p.Tenant, p.Session} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	b = binary.AppendUvarint(b, uint64(p.Frames))
	b = append(b, p.Data...)
	binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start-messageHead))
	return b
}

// readMessage reads a parcel's message to its end. Of its length at most limit
// bytes are believed. The parcel's data is the caller's.
func readMessage(r io.Reader, limit int64) (ingest.EncodedBlock, error) {
	var head [messageHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return ingest.EncodedBlock{}, cutShort(err)
	}
	size := int64(binary.LittleEndian.Uint32(head[:]))
	if size > limit+maxNames {
		return ingest.EncodedBlock{}, &tooLargeError{size, limit}
	}
	body, err := readBody(r, int(size))
	if err != nil {
		return ingest.EncodedBlock{}, cutShort(err)
	}
	if n, err := io.ReadFull(r, head[:1]); n > 0 {
		return ingest.EncodedBlock{}, fmt.Errorf("%w: it is longer than it says", errMessage)
	} else if !errors.Is(err, io.EOF) {
		return ingest.EncodedBlock{}, err
	}
	return parseMessage(body)
}

// readBody reads exactly size bytes. Memory is taken as they come, so that a
// length costs nothing until the bytes are there.
func readBody(r io.Reader, size int) ([]byte, error) {
	const step = 1 << 20
	body := make([]byte, min(size, step))
	read := 0
	for {
		n, err := io.ReadFull(r, body[read:])
		read += n
		if err != nil || read == size {
			return body, err
		}
		grown := make([]byte, min(size, 2*read))
		copy(grown, body)
		body = grown
	}
}

// cutShort tells the end of a message from another failure. A connection that
// breaks may look like the end, too: the length is what a message is held to.
func cutShort(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF { // as they are: wrapped, they are the connection's
		return fmt.Errorf("%w: it ends too early", errMessage)
	}
	return err
}

// parseMessage reads what follows the length. The data aliases body.
func parseMessage(body []byte) (ingest.EncodedBlock, error) {
	var p ingest.EncodedBlock
	for _, s := range [...]*string{&p.ID, &p.Tenant, &p.Session} {
		length, n := binary.Uvarint(body)
		if n <= 0 || length > uint64(len(body)-n) || length > maxNames {
			return ingest.EncodedBlock{}, fmt.Errorf("%w: a name goes beyond its end", errMessage)
		}
		body = body[n:]
		*s, body = string(body[:length]), body[length:]
	}
	frames, n := binary.Uvarint(body)
	if n <= 0 || frames > math.MaxInt32 {
		return ingest.EncodedBlock{}, fmt.Errorf("%w: no number of frames", errMessage)
	}
	p.Frames, p.Data = int(frames), body[n:]
	return p, nil
}

// answer is a message of the server. One of its fields is set, or none.
type answer struct {
	Hello   *hello   `json:"hello,omitempty"`
	Ack     *uint64  `json:"ack,omitempty"`
	Refused *refusal `json:"refused,omitempty"`
}

type hello struct {
	Tenant   string `json:"tenant"`
	MaxBlock int64  `json:"max_block"` // bytes
	AliveMS  int64  `json:"alive_ms"`
}

type refusal struct {
	Number    uint64 `json:"number"`
	Permanent bool   `json:"permanent"`
	Deleted   bool   `json:"deleted,omitempty"` // its session was deleted
	Reason    string `json:"reason"`
}
