package tapefile

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"tapedeck/schema/block"
)

// The encoder and the decoder are safe for concurrent use.
var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2), zstd.WithEncoderCRC(false))
		if err != nil {
			panic(err) // the options are constants
		}
		return e
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(maxData), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			panic(err) // the options are constants
		}
		return d
	})
)

// unpack returns a record's decompressed data, in buf if that
// is large enough. Data that unpack to more than size are an error before more is unpacked.
func unpack(data, buf []byte, size int) ([]byte, error) {
	if cap(buf) < size {
		buf = make([]byte, 0, size)
	}
	body, err := decoder().DecodeAll(data, buf[:0:size])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if len(body) != size {
		return nil, fmt.Errorf("%w: a record of %d bytes unpacks to %d", ErrDamaged, size, len(body))
	}
	return body, nil
}

// appendBlock appends a block, preceded by its length, to a record's body.
func appendBlock(body []byte, blk *block.Block, frames *block.Builder) []byte {
	start := len(body)
	body = append(body, 0, 0, 0, 0)
	if frames != nil {
		body = frames.Encode(body, blk, block.Plain)
	} else {
		body = block.Encode(body, blk, block.Plain)
	}
	binary.LittleEndian.PutUint32(body[start:], uint32(len(body)-start-4))
	return body
}

// eachBlock calls see with each encoded block of a body.
func eachBlock(body []byte, see func(p []byte) error) error {
	for len(body) > 0 {
		if len(body) < 4 || uint64(binary.LittleEndian.Uint32(body)) > uint64(len(body)-4) {
			return fmt.Errorf("%w: a block is longer than its record", ErrDamaged)
		}
		n := 4 + int(binary.LittleEndian.Uint32(body))
		if err := see(body[4:n]); err != nil {
			return err
		}
		body = body[n:]
	}
	return nil
}
