package upload

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"tapedeck/ingest"
)

// A block in a request:
//
//	u32 little-endian   length of the fields that follow, bytes
//	three strings, each a uvarint length and its bytes: id, tenant, session
//	uvarint             number of frames
//	the block, up to the end
const messageHead = 4

// maxNames bounds the fields before the block, bytes.
const maxNames = 4096

// errMessage reports bytes that are not a block.
var errMessage = errors.New("not a block")

// tooLargeError reports a block over the limit.
type tooLargeError struct{ size, limit int64 }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("block of %d bytes, the limit is %d", e.size, e.limit)
}

// appendHead appends a block's message without the block itself to b.
func appendHead(b []byte, p *ingest.EncodedBlock) []byte {
	start := len(b)
	b = append(b, make([]byte, messageHead)...)
	for _, s := range [...]string{p.ID, p.Tenant, p.Session} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	b = binary.AppendUvarint(b, uint64(p.Frames))
	binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start-messageHead+len(p.Data)))
	return b
}

// readMessage reads one block, whose data belongs to the caller. The error is io.EOF at the end of
// the sequence. A length over limit bytes is an error. Before the message is read, enter is called
// with its size, and may wait.
func readMessage(r io.Reader, limit int64, enter func(size int64) error) (ingest.EncodedBlock, error) {
	var head [messageHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if err == io.ErrUnexpectedEOF {
			err = fmt.Errorf("%w: it ends too early", errMessage)
		}
		return ingest.EncodedBlock{}, err
	}
	size := int64(binary.LittleEndian.Uint32(head[:]))
	if size > limit+maxNames {
		return ingest.EncodedBlock{}, &tooLargeError{size, limit}
	}
	if err := enter(size); err != nil {
		return ingest.EncodedBlock{}, err
	}
	body, err := readBody(r, int(size))
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("%w: it ends too early", errMessage)
	}
	if err != nil {
		return ingest.EncodedBlock{}, err
	}
	return parseMessage(body)
}

// readBody reads exactly size bytes. It allocates memory as the bytes arrive, so that a length
// without bytes costs nothing.
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

// parseMessage parses a message after its length. The data aliases body.
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
