package block

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"sync"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"tapedeck/schema"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Builder builds one block. It is reusable: Encode leaves it empty.
type Builder struct {
	frames frameWriter
	body   writer
	packed []byte // buffer for the body under S2
}

var builders = sync.Pool{New: func() any {
	return &Builder{frames: frameWriter{dict: map[string]string{}, index: map[string]uint64{}}}
}}

// NewBuilder returns a builder from a pool; Release returns it.
func NewBuilder() *Builder { return builders.Get().(*Builder) }

// Release returns the builder to the pool. A large one is left to the garbage collector.
func (b *Builder) Release() {
	if cap(b.frames.raw)+cap(b.body.b)+cap(b.packed) > 12<<20 {
		return
	}
	b.frames.reset()
	builders.Put(b)
}

// Add appends a copy of a frame.
func (b *Builder) Add(f *schema.Frame) { b.frames.add(f) }

// Frames returns the number of frames added since the last Encode.
func (b *Builder) Frames() int { return int(b.frames.count) }

// Size returns the approximate size of the body before compression, bytes.
func (b *Builder) Size() int { return len(b.frames.raw) + len(b.frames.meta.b) }

// Encode appends the block to dst and empties the builder. It uses all of blk except Frames: the
// block has the frames that were added.
func (b *Builder) Encode(dst []byte, blk *Block, codec Codec) []byte {
	w := &b.body
	w.b = w.b[:0]
	w.string(blk.Tenant)
	w.string(blk.Session)
	w.record(func() { writeStates(w, blk) })
	writeFacts(w, &blk.Facts)
	w.uint(b.frames.count)
	w.uint(uint64(len(b.frames.meta.b)))
	w.b = append(w.b, b.frames.meta.b...)
	w.b = append(w.b, b.frames.raw...)
	if len(w.b) >= largeBody {
		b.frames.raw = nil // the body has the bytes; this copy is not kept during the compression
	}
	b.frames.reset()
	return b.seal(dst, codec)
}

// largeBody is the size of a body, in bytes, from which on it is compressed directly into the
// destination, which leaves spare room there, and its buffers are not kept for the next block.
const largeBody = 1 << 20

// Encode appends a complete block to dst.
func Encode(dst []byte, blk *Block, codec Codec) []byte {
	b := NewBuilder()
	defer b.Release()
	for i := range blk.Frames {
		b.Add(&blk.Frames[i])
	}
	return b.Encode(dst, blk, codec)
}

// headSize is the size of the header: magic, version, codec, length of the body, checksum of the
// remaining bytes.
const headSize = len(magic) + 1 + 1 + 4 + 4

// seal appends the header and the compressed body.
func (b *Builder) seal(dst []byte, codec Codec) []byte {
	body := b.body.b
	packed := body
	switch {
	case codec == S2 && len(body) >= largeBody:
		return b.sealLarge(dst)
	case codec == S2: // into a reusable buffer, so that a block is allocated with its exact size
		if n := s2.MaxEncodedLen(len(body)); n > cap(b.packed) {
			b.packed = make([]byte, n)
		}
		packed = s2.Encode(b.packed[:cap(b.packed)], body)
	case codec == Zstd:
		packed = nil // the body is appended below
	}
	dst = slices.Grow(dst, headSize+len(packed))
	start := len(dst)
	dst = appendHead(dst, codec, len(body))
	dst = append(dst, packed...)
	if codec == Zstd {
		dst = zstdEncoder().EncodeAll(body, dst)
	}
	return sum(dst, start)
}

// sealLarge appends the head and the body under S2, and releases the body.
func (b *Builder) sealLarge(dst []byte) []byte {
	body := b.body.b
	b.body.b = nil
	most := s2.MaxEncodedLen(len(body))
	dst = slices.Grow(dst, headSize+most)
	start := len(dst)
	dst = appendHead(dst, S2, len(body))
	packed := s2.Encode(dst[len(dst):len(dst)+most], body)
	return sum(dst[:len(dst)+len(packed)], start)
}

// appendHead appends the head of a block, without the checksum.
func appendHead(dst []byte, codec Codec, size int) []byte {
	dst = append(dst, magic...)
	dst = append(dst, version, byte(codec))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(size))
	return append(dst, 0, 0, 0, 0)
}

// sum writes the checksum into the head of the block that begins at start.
func sum(dst []byte, start int) []byte {
	binary.LittleEndian.PutUint32(dst[start+headSize-4:], crc32.Checksum(dst[start+headSize:], castagnoli))
	return dst
}

// open checks the header and returns the decompressed body, of at most limit bytes, in buf if buf is
// large enough.
func open(p, buf []byte, limit int) ([]byte, error) {
	if len(p) < headSize || string(p[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: no block starts here", ErrFormat)
	}
	if err := readable(p[len(magic)]); err != nil {
		return nil, err
	}
	codec := Codec(p[len(magic)+1])
	size := int(binary.LittleEndian.Uint32(p[len(magic)+2:]))
	sum := binary.LittleEndian.Uint32(p[headSize-4:])
	p = p[headSize:]
	if crc32.Checksum(p, castagnoli) != sum {
		return nil, fmt.Errorf("%w: checksum does not match", ErrFormat)
	}
	if size > limit {
		return nil, fmt.Errorf("%w: body of %d bytes is over the limit of %d", ErrFormat, size, limit)
	}
	body, err := decompress(p, buf, codec, size)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if len(body) != size {
		return nil, fmt.Errorf("%w: body of %d bytes, expected %d", ErrFormat, len(body), size)
	}
	return body, nil
}

func decompress(p, buf []byte, codec Codec, size int) ([]byte, error) {
	switch codec {
	case Plain:
		return append(buf[:0], p...), nil
	case S2:
		if n, err := s2.DecodedLen(p); err != nil || n != size {
			return nil, fmt.Errorf("s2 length %d, expected %d", n, size)
		}
		if cap(buf) < size {
			buf = make([]byte, size)
		}
		return s2.Decode(buf[:size], p)
	case Zstd:
		if cap(buf) < size {
			buf = make([]byte, 0, size)
		}
		return zstdDecoder().DecodeAll(p, buf[:0:size]) // a body that is longer than it claims is an error
	}
	return nil, fmt.Errorf("unknown codec %d", codec)
}

// The encoder and the decoder are created once and are safe for use by many goroutines.
var (
	zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2))
		if err != nil {
			panic(err) // the options are constants
		}
		return e
	})
	zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(MaxBody), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			panic(err) // the options are constants
		}
		return d
	})
)
