package block

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"tapedeck/schema"
)

// writer appends primitive values to a buffer.
type writer struct{ b []byte }

func (w *writer) byte(v byte)     { w.b = append(w.b, v) }
func (w *writer) uint(v uint64)   { w.b = binary.AppendUvarint(w.b, v) }
func (w *writer) int(v int64)     { w.b = binary.AppendVarint(w.b, v) }
func (w *writer) string(s string) { w.uint(uint64(len(s))); w.b = append(w.b, s...) }

// record writes the bytes that fill appends, preceded by their length, so that a reader of an older
// version can skip unknown fields.
func (w *writer) record(fill func()) {
	start := len(w.b)
	w.b = append(w.b, 0, 0, 0, 0)
	fill()
	binary.LittleEndian.PutUint32(w.b[start:], uint32(len(w.b)-start-4))
}

// reader reads primitive values from a buffer. After the first failure, every read returns the zero
// value.
type reader struct {
	b    []byte
	err  error
	room *int // memory that the items of the block may still take, bytes; nil for any
}

// The memory of an item of a list, bytes. A few bytes of a body may stand for an item.
const (
	frameMemory   = int(unsafe.Sizeof(schema.Frame{}))
	spanMemory    = int(unsafe.Sizeof(schema.Span{}))
	messageMemory = int(unsafe.Sizeof(schema.Message{}))
	usageMemory   = int(unsafe.Sizeof(schema.Usage{}))
	leftMemory    = int(unsafe.Sizeof(Left{}))
	cutMemory     = int(unsafe.Sizeof(schema.Cut{}))
	chunkMemory   = 8 + 4
	pairMemory    = 64 // of a map with short texts
)

func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrFormat, what)
		r.b = nil
	}
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail("cut short")
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

func (r *reader) uint() uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 { // the most common case
		v := r.b[0]
		r.b = r.b[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail("bad number")
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) int() int64 {
	u := r.uint()
	return int64(u>>1) ^ -int64(u&1)
}

// bytes returns n bytes that alias the buffer.
func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.fail("cut short")
		return nil
	}
	v := r.b[:n:n]
	r.b = r.b[n:]
	return v
}

// string returns a string that aliases the buffer: it is valid as long as the block's body.
func (r *reader) string() string { return alias(r.bytes(r.uint())) }

// count reads the number of items that follow. Each item has at least size bytes.
func (r *reader) count(size int) int {
	n := r.uint()
	if n > uint64(len(r.b)/size) {
		r.fail("more items than bytes")
		return 0
	}
	return int(n)
}

// items is count for items that take memory bytes each once they are decoded.
func (r *reader) items(size, memory int) int {
	n := r.count(size)
	if r.room == nil {
		return n
	}
	if *r.room -= n * memory; *r.room < 0 {
		r.fail("its frames and facts take more memory than a block may")
		return 0
	}
	return n
}

// record returns a reader of the next record.
func (r *reader) record() reader {
	head := r.bytes(4)
	if r.err != nil {
		return reader{err: r.err}
	}
	body := r.bytes(uint64(binary.LittleEndian.Uint32(head)))
	return reader{b: body, err: r.err, room: r.room}
}

// alias returns a string over bytes that are never modified again.
func alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
