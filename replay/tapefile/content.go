package tapefile

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// recordReader reads records of a file by their index entries. It reuses its buffers.
type recordReader struct {
	file      *os.File
	most      int64 // that a record may have before compression, bytes; 0 for maxData
	raw, body []byte
}

// read returns the body of a record, valid until the next read. If the record is
// damaged, the error is a BreakError.
func (r *recordReader) read(e *entry) ([]byte, error) {
	if cap(r.raw) < e.size {
		r.raw = make([]byte, e.size)
	}
	raw := r.raw[:e.size]
	if _, err := r.file.ReadAt(raw, e.offset); err == io.EOF {
		return nil, e.broken(ErrCut)
	} else if err != nil {
		return nil, err
	}
	body, err := r.unpack(raw, e)
	if err != nil {
		return nil, e.broken(err)
	}
	return body, nil
}

func (r *recordReader) unpack(raw []byte, e *entry) ([]byte, error) {
	if len(raw) < headSize {
		return nil, fmt.Errorf("%w: a record of %d bytes", ErrDamaged, len(raw))
	}
	h, err := parseHead(raw)
	if err != nil {
		return nil, err
	}
	if h.size() != len(raw) || h.kind != e.kind {
		return nil, fmt.Errorf("%w: a record is not the one that the index names", ErrDamaged)
	}
	if crc32.Checksum(raw[headSize:], castagnoli) != h.sum {
		return nil, fmt.Errorf("%w: the checksum of a record of %s does not match", ErrDamaged, h.kind)
	}
	meta, err := parseMeta(raw[headSize:headSize+h.meta], h.kind)
	if err != nil {
		return nil, err
	}
	if r.most > 0 && int64(meta.Body) > r.most {
		return nil, fmt.Errorf("%w: %s of %d bytes, more than the file has room for", ErrDamaged, h.kind, meta.Body)
	}
	body, err := unpack(raw[headSize+h.meta:], r.body, meta.Body)
	r.body = body
	return body, err
}

func (e *entry) broken(err error) error {
	return &BreakError{Offset: e.offset, Record: e.number, Frames: e.before, Err: err}
}

// Parts reads the states of the segments of a session's streams, ordered by stream and first frame.
func (f *File) Parts(id string) ([]schema.StreamState, error) {
	s, _, _ := f.session(id)
	type key struct {
		stream string
		first  uint64
	}
	var parts []schema.StreamState
	at := map[key]int{}
	err := f.blocks(s.streams, func(b *block.Block) error {
		k := key{b.State.StreamID, b.State.FirstSeq}
		i, known := at[k]
		switch {
		case !known:
			at[k] = len(parts)
			parts = append(parts, b.State)
		case parts[i].Version <= b.State.Version:
			parts[i] = b.State
		}
		return nil
	})
	slices.SortFunc(parts, func(a, b schema.StreamState) int {
		return cmp.Or(cmp.Compare(a.StreamID, b.StreamID), cmp.Compare(a.FirstSeq, b.FirstSeq))
	})
	return parts, err
}

// Facts calls see with the facts of a session, in blocks without frames. The State of a block has
// the id of the stream, the first frame of the segment and the dialect. see may keep the blocks.
func (f *File) Facts(id string, see func(*block.Block) error) error {
	s, _, _ := f.session(id)
	return f.blocks(s.facts, see)
}

// blocks calls see with the blocks of records.
func (f *File) blocks(entries []entry, see func(*block.Block) error) error {
	r := recordReader{file: f.file}
	for i := range entries {
		body, err := r.read(&entries[i])
		if err != nil {
			return err
		}
		err = eachBlock(body, func(p []byte) error {
			b, err := block.Decode(p)
			if err != nil {
				return entries[i].broken(fmt.Errorf("%w: %w", ErrDamaged, err))
			}
			return see(b)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// streamsOf merges the segments of each stream; the state of the stream is that of its last
// segment. The result is ordered by FirstAt, then StreamID, as on a tape.
func streamsOf(parts []schema.StreamState) []schema.StreamState {
	var streams []schema.StreamState
	for _, part := range parts {
		if part.Frames == 0 {
			continue // the segment has only facts
		}
		n := len(streams)
		if n == 0 || streams[n-1].StreamID != part.StreamID {
			streams = append(streams, part)
			continue
		}
		s := &streams[n-1]
		part.FirstSeq, part.FirstAt = s.FirstSeq, min(s.FirstAt, part.FirstAt)
		part.LastAt = max(s.LastAt, part.LastAt)
		part.Frames += s.Frames
		part.Bytes += s.Bytes
		*s = part
	}
	slices.SortFunc(streams, func(a, b schema.StreamState) int {
		return cmp.Or(cmp.Compare(a.FirstAt, b.FirstAt), cmp.Compare(a.StreamID, b.StreamID))
	})
	return streams
}
