package clickhouse

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/klauspost/compress/zstd"

	"tapedeck/replay"
	"tapedeck/schema"
	schemaclickhouse "tapedeck/schema/clickhouse"
)

// packed stores a page's frames that are not needed yet in a tenth of their memory, since a slow
// playback holds frames for many minutes. It is unpacked one chunk at a time.
type packed struct {
	streams []*schema.StreamState // the streams of the frames
	chunks  []chunk
	next    int // index of the next chunk to unpack
	charged int64
}

// size returns the size of the chunks in bytes.
func (p *packed) size() (n int64) {
	for i := range p.chunks {
		n += int64(len(p.chunks[i].bytes))
	}
	return n
}

// chunk is a group of frames, compressed with Zstandard. S2 would take half the time, but the time
// is small compared with sending a frame, and nearly twice the memory.
type chunk struct {
	bytes  []byte
	frames int
}

const chunkFrames = 64

// The codecs of all packers. The options are constants, so errors are ignored.
var (
	compressor, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false),
		zstd.WithWindowSize(1<<18), zstd.WithEncoderConcurrency(2))
	decompressor, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true))
)

// The fields in which a packed frame differs from the frame before it.
const (
	ownStream = 1 << iota
	ownType
	ownSession
	ownRun
	ownNode
	ownAgent
	hasCuts
)

// packer holds the buffers for packing.
type packer struct {
	plain, cuts, compressed []byte
}

// pack packs the frames of a page, which belong to the given streams.
func (p *packer) pack(frames []replay.Frame, streams []*schema.StreamState) *packed {
	out := &packed{streams: streams, chunks: make([]chunk, 0, (len(frames)+chunkFrames-1)/chunkFrames)}
	for some := range slices.Chunk(frames, chunkFrames) {
		p.plain = p.plain[:0]
		before := &replay.Frame{}
		for i := range some {
			p.frame(&some[i], before, streams)
			before = &some[i]
		}
		p.compressed = compressor.EncodeAll(p.plain, p.compressed[:0])
		out.chunks = append(out.chunks, chunk{slices.Clone(p.compressed), len(some)})
	}
	return out
}

// frame appends one frame to the plain bytes.
func (p *packer) frame(f, before *replay.Frame, streams []*schema.StreamState) {
	own := byte(0)
	note := func(differs bool, bit byte) {
		if differs {
			own |= bit
		}
	}
	note(f.Stream != before.Stream, ownStream)
	note(f.Type != before.Type, ownType)
	note(f.Session != before.Session, ownSession)
	note(f.Run != before.Run, ownRun)
	note(f.Node != before.Node, ownNode)
	note(f.Agent != before.Agent, ownAgent)
	note(len(f.Cuts) > 0, hasCuts)
	b := append(p.plain, own, byte(f.Direction), byte(f.Transport))
	b = binary.AppendUvarint(b, uint64(f.Flags))
	b = binary.AppendVarint(b, int64(f.Seq-before.Seq))
	b = binary.AppendVarint(b, f.At-before.At)
	if own&ownStream != 0 {
		b = binary.AppendUvarint(b, uint64(slices.Index(streams, f.Stream)))
	}
	for _, s := range []struct {
		bit  byte
		text string
	}{{ownType, f.Type}, {ownSession, f.Session}, {ownRun, f.Run}, {ownNode, f.Node}, {ownAgent, f.Agent}} {
		if own&s.bit != 0 {
			b = append(binary.AppendUvarint(b, uint64(len(s.text))), s.text...)
		}
	}
	b = append(binary.AppendUvarint(b, uint64(len(f.EventID))), f.EventID...)
	if own&hasCuts != 0 {
		p.cuts = schemaclickhouse.AppendCuts(p.cuts[:0], &f.Frame)
		b = append(binary.AppendUvarint(b, uint64(len(p.cuts))), p.cuts...)
	}
	p.plain = append(binary.AppendUvarint(b, uint64(len(f.Raw))), f.Raw...)
}

// left returns the number of chunks that are still packed.
func (p *packed) left() int { return len(p.chunks) - p.next }

var errPacked = errors.New("packed frames are damaged")

// unpack replaces the frames of a page with the frames of the next chunk.
func (p *packed) unpack(into *page) error {
	c := &p.chunks[p.next]
	if err := c.unpack(p.streams, into); err != nil {
		return err
	}
	*c = chunk{nil, c.frames}
	p.next++
	return nil
}

// unpack replaces the frames of a page with the frames of the chunk, which belong to the streams.
func (c *chunk) unpack(streams []*schema.StreamState, into *page) (err error) {
	into.reset()
	if into.plain, err = decompressor.DecodeAll(c.bytes, into.plain[:0]); err != nil {
		return fmt.Errorf("unpack frames: %w", err)
	}
	into.frames = slices.Grow(into.frames, c.frames)[:c.frames]
	r := plainReader{left: into.plain}
	before := &replay.Frame{}
	for i := range into.frames {
		f := &into.frames[i]
		if err := r.frame(f, before, streams); err != nil {
			return fmt.Errorf("unpack frames: %w", err)
		}
		before = f
	}
	return nil
}

// plainReader reads what packer.frame writes. Its results alias left.
type plainReader struct {
	left []byte
	bad  bool
}

func (r *plainReader) frame(f, before *replay.Frame, streams []*schema.StreamState) (err error) {
	head := r.take(3)
	if r.bad {
		return errPacked
	}
	own := head[0]
	*f = replay.Frame{Stream: before.Stream}
	f.Envelope = before.Envelope
	f.Direction, f.Transport = schema.Direction(head[1]), schema.Transport(head[2])
	f.Flags = schema.Flags(r.uvarint())
	f.Seq = before.Seq + uint64(r.varint())
	f.At = before.At + r.varint()
	if own&ownStream != 0 {
		n := r.uvarint()
		if n >= uint64(len(streams)) {
			return errPacked
		}
		f.Stream = streams[n]
	}
	for _, s := range []struct {
		bit  byte
		text *string
	}{{ownType, &f.Type}, {ownSession, &f.Session}, {ownRun, &f.Run}, {ownNode, &f.Node}, {ownAgent, &f.Agent}} {
		if own&s.bit != 0 {
			*s.text = r.text()
		}
	}
	f.EventID = r.text()
	if own&hasCuts != 0 {
		if f.Cuts, err = schemaclickhouse.ParseCuts(r.take(r.uvarint()), f.At); err != nil {
			return err
		}
	}
	f.Raw = r.take(r.uvarint())
	if r.bad {
		return errPacked
	}
	return nil
}

// take returns the next n bytes, or none if there are fewer.
func (r *plainReader) take(n uint64) []byte {
	if n > uint64(len(r.left)) {
		r.bad, r.left = true, nil
		return nil
	}
	b := r.left[:n:n]
	r.left = r.left[n:]
	return b
}

func (r *plainReader) text() string {
	b := r.take(r.uvarint())
	return unsafe.String(unsafe.SliceData(b), len(b))
}

func (r *plainReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.left)
	r.take(uint64(max(n, 0)))
	r.bad = r.bad || n <= 0
	return v
}

func (r *plainReader) varint() int64 {
	v, n := binary.Varint(r.left)
	r.take(uint64(max(n, 0)))
	r.bad = r.bad || n <= 0
	return v
}
