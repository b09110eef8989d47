package tapefile

import (
	"encoding/binary"
	"fmt"

	"tapedeck/schema"
)

// Meta is the uncompressed section of every record. It suffices to find a frame without reading
// other records.
type Meta struct {
	Session string
	// Body is the length of the data before compression, bytes.
	Body int
	// The fields below exist only in records of frames.
	First, Last schema.Position
	Frames      uint64
	Bytes       uint64 // size of the frames' raw bytes
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendPosition(dst []byte, p schema.Position) []byte {
	dst = binary.AppendVarint(dst, p.At)
	return binary.AppendUvarint(appendString(dst, p.StreamID), p.Seq)
}

func (m *Meta) append(dst []byte, kind Kind) []byte {
	dst = binary.AppendUvarint(dst, uint64(m.Body))
	dst = appendString(dst, m.Session)
	if kind != KindFrames {
		return dst
	}
	dst = appendPosition(appendPosition(dst, m.First), m.Last)
	return binary.AppendUvarint(binary.AppendUvarint(dst, m.Frames), m.Bytes)
}

// parseMeta parses a record's first section. The strings are copies. Trailing fields of later
// versions are skipped.
func parseMeta(b []byte, kind Kind) (Meta, error) {
	r := fields{b: b}
	m := Meta{Body: int(min(r.uint(), maxData+1)), Session: r.string()}
	if kind == KindFrames {
		m.First, m.Last = r.position(), r.position()
		m.Frames, m.Bytes = r.uint(), r.uint()
	}
	if r.bad || m.Body > maxData {
		return Meta{}, fmt.Errorf("%w: the metadata of a record of %s is invalid", ErrDamaged, kind)
	}
	return m, nil
}

// fields reads values from a buffer. After the first failure all reads fail.
type fields struct {
	b   []byte
	bad bool
}

func (r *fields) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if r.bad = r.bad || n <= 0; r.bad {
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *fields) int() int64 {
	v, n := binary.Varint(r.b)
	if r.bad = r.bad || n <= 0; r.bad {
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *fields) bytes(n uint64) []byte {
	if r.bad = r.bad || n > uint64(len(r.b)); r.bad {
		return nil
	}
	v := r.b[:n]
	r.b = r.b[n:]
	return v
}

func (r *fields) string() string { return string(r.bytes(r.uint())) }

func (r *fields) position() schema.Position {
	return schema.Position{At: r.int(), StreamID: r.string(), Seq: r.uint()}
}
