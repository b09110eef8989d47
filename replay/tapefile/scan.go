package tapefile

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/crc32"
	"io"

	"tapedeck/schema/block"
)

// Record is one record of a file. It is valid until its Scanner reads the next one.
type Record struct {
	Meta
	Kind   Kind
	Offset int64  // start of the record, bytes
	Number int    // number in the file, from 0
	Before uint64 // number of frames in earlier records
	bytes  []byte // the whole record
	data   []byte // second section
	bound  bool   // the scanner has bounds
}

// Blocks calls see with each of the record's blocks. A block is valid only during the call, unless
// own is set. An unreadable block is a BreakError.
func (r *Record) Blocks(own bool, see func(*block.Block) error) error {
	body, err := unpack(r.data, nil, r.Body)
	if err != nil {
		return r.broken(err)
	}
	d := block.Decoder{Limit: r.blockLimit()}
	shared := &block.Block{}
	return eachBlock(body, func(p []byte) error {
		blk := shared
		if own {
			blk, d = &block.Block{}, block.Decoder{Limit: d.Limit}
		}
		if err := d.Decode(p, blk); err != nil {
			return r.broken(fmt.Errorf("%w: %w", ErrDamaged, err))
		}
		return see(blk)
	})
}

// Refuse returns the BreakError of a record that the caller does not accept.
func (r *Record) Refuse(err error) error { return r.broken(err) }

func (r *Record) broken(err error) error {
	return &BreakError{Offset: r.Offset, Record: r.Number, Frames: r.Before, Err: err}
}

// entry returns the index entry of the record.
func (r *Record) entry() entry {
	return entry{Meta: r.Meta, kind: r.Kind, offset: r.Offset, size: len(r.bytes), number: r.Number, before: r.Before}
}

// Scanner reads a file from its beginning, without seeking.
type Scanner struct {
	r      *bufio.Reader
	begun  bool
	offset int64  // offset of the next read
	number int    // number of the next record
	frames uint64 // number of frames in the records so far
	buf    bytes.Buffer
	record Record
	ended  bool
	bounds *Bounds // nil for none
}

// NewScanner returns a scanner. It reads nothing before the first Next.
func NewScanner(r io.Reader) *Scanner { return &Scanner{r: bufio.NewReaderSize(r, 256<<10)} }

// Next returns the next record with verified checksums. The error is io.EOF after the last record
// of a complete file, ErrNotTape or ErrVersion for a file that is unreadable as a whole, a
// BreakError at a break, or the error of the reader.
func (s *Scanner) Next() (*Record, error) {
	if !s.begun {
		if err := s.begin(); err != nil {
			return nil, err
		}
	}
	if s.ended {
		return nil, io.EOF
	}
	if s.record.Kind == KindIndex {
		return nil, s.end()
	}
	s.buf.Reset()
	if err := s.read(headSize); err != nil {
		return nil, err
	}
	h, err := parseHead(s.buf.Bytes())
	if err != nil {
		return nil, s.broken(err)
	}
	if err := s.read(h.meta); err != nil {
		return nil, err
	}
	if s.bounds != nil {
		if err := s.admit(h); err != nil {
			return nil, err
		}
	}
	if err := s.read(h.data); err != nil {
		return nil, err
	}
	all := s.buf.Bytes()
	if crc32.Checksum(all[headSize:], castagnoli) != h.sum {
		return nil, s.broken(fmt.Errorf("%w: the checksum of a record of %s does not match", ErrDamaged, h.kind))
	}
	meta, err := parseMeta(all[headSize:headSize+h.meta], h.kind)
	if err != nil {
		return nil, s.broken(err)
	}
	s.record = Record{
		Meta: meta, Kind: h.kind, Offset: s.offset, Number: s.number, Before: s.frames,
		bytes: all, data: all[headSize+h.meta:], bound: s.bounds != nil,
	}
	s.offset += int64(len(all))
	s.number++
	s.frames += meta.Frames
	return &s.record, nil
}

// begin reads the header.
func (s *Scanner) begin() error {
	b := make([]byte, headerSize)
	n, err := io.ReadFull(s.r, b)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	if err := checkHeader(b[:n]); err != nil {
		return err
	}
	s.begun, s.offset = true, int64(headerSize)
	return nil
}

// end reads the bytes after the index.
func (s *Scanner) end() error {
	s.buf.Reset()
	if err := s.read(trailerSize); err != nil {
		return err
	}
	at, size, ok := parseTrailer(s.buf.Bytes())
	if !ok || at != s.record.Offset || at+size != s.offset {
		return s.broken(fmt.Errorf("%w: its last bytes do not match", ErrDamaged))
	}
	if _, err := s.r.Peek(1); err == nil {
		s.offset += int64(trailerSize)
		return s.broken(fmt.Errorf("%w: there are bytes after its end", ErrDamaged))
	}
	s.ended = true
	return io.EOF
}

// read appends n bytes to buf, or returns an error if the file ends before them. Memory grows with
// the bytes that were read, not with the length in a head.
func (s *Scanner) read(n int) error {
	got, err := s.buf.ReadFrom(io.LimitReader(s.r, int64(n)))
	if err != nil {
		return err
	}
	if got < int64(n) {
		return s.broken(ErrCut)
	}
	return nil
}

func (s *Scanner) broken(err error) error {
	return &BreakError{Offset: s.offset, Record: s.number, Frames: s.frames, Err: err}
}
