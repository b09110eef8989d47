package tapefile

import (
	"encoding/binary"
	"fmt"
)

// entry is the location of a record with its metadata.
type entry struct {
	Meta
	kind   Kind
	offset int64
	size   int    // size of the whole record, bytes
	number int    // number of the record in the file
	before uint64 // number of frames in earlier records
}

// appendIndex appends the entries of all records.
func appendIndex(dst []byte, entries []entry) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(entries)))
	end := int64(headerSize)
	var meta []byte
	for i := range entries {
		e := &entries[i]
		meta = e.Meta.append(meta[:0], e.kind)
		dst = append(dst, byte(e.kind))
		dst = binary.AppendUvarint(dst, uint64(e.offset-end))
		dst = binary.AppendUvarint(dst, uint64(e.size))
		dst = appendString(dst, string(meta))
		end = e.offset + int64(e.size)
	}
	return dst
}

// maxIndex returns the most that an index of the records before limit has before compression, bytes.
// A record before limit has a head, and its meta section is in the file too, so the entries of all
// records are at most as long as these sections and a kind and three lengths for each head.
func maxIndex(limit int64) int64 {
	const kindAndLengths = 1 + 3*binary.MaxVarintLen64
	return binary.MaxVarintLen64 + limit + limit/int64(headSize)*kindAndLengths
}

// parseIndex parses the entries of records before limit.
func parseIndex(body []byte, limit int64) ([]entry, error) {
	r := fields{b: body}
	n := r.uint()
	if n > uint64(limit)/uint64(headSize) {
		return nil, fmt.Errorf("%w: its index has more entries than the file has room for", ErrDamaged)
	}
	entries := make([]entry, 0, n)
	end, frames := int64(headerSize), uint64(0)
	for i := range int(n) {
		kind := r.bytes(1)
		gap, size, meta := r.uint(), r.uint(), r.bytes(r.uint())
		if r.bad || gap > uint64(limit) || size > uint64(limit) || size < uint64(headSize) {
			return nil, fmt.Errorf("%w: its index", ErrDamaged)
		}
		e := entry{kind: Kind(kind[0]), offset: end + int64(gap), size: int(size), number: i, before: frames}
		end = e.offset + int64(size)
		var err error
		if e.Meta, err = parseMeta(meta, e.kind); err != nil {
			return nil, err
		}
		if end > limit {
			return nil, fmt.Errorf("%w: its index names a record behind it", ErrDamaged)
		}
		frames += e.Frames
		entries = append(entries, e)
	}
	return entries, nil
}

// session lists the records of one session in a file.
type session struct {
	id                     string
	streams, frames, facts []entry // frames in position order
}

// contents holds the sessions of a file, in the order of the file.
type contents struct {
	sessions []*session
	byID     map[string]*session
}

// add adds an entry to its session.
func (c *contents) add(e entry) {
	if e.kind < KindStreams || e.kind > KindFacts {
		return
	}
	s := c.byID[e.Session]
	if s == nil {
		if c.byID == nil {
			c.byID = map[string]*session{}
		}
		s = &session{id: e.Session}
		c.byID[e.Session] = s
		c.sessions = append(c.sessions, s)
	}
	switch e.kind {
	case KindStreams:
		s.streams = append(s.streams, e)
	case KindFrames:
		s.frames = append(s.frames, e)
	case KindFacts:
		s.facts = append(s.facts, e)
	}
}
