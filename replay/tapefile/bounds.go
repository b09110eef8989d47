package tapefile

import "fmt"

// Bounds bound the memory that the records of a file take while a Scanner has them.
type Bounds struct {
	// Record is the most that a record of frames or facts may have before compression, bytes.
	Record int
	// Admit is called before the data of a record are read, with the bytes that the record takes at
	// the most until the next one is read. It may wait. Its error ends the scan.
	Admit func(bytes int) error
}

const (
	// maxStates bounds a record of states before compression, bytes.
	maxStates = 4 << 20
	// itemRoom is what the frames and facts of a block of a few bytes may take, bytes.
	itemRoom = 2 << 20
	// copies is how often a record is in memory at the most: as it arrived, unpacked, as a block, and
	// as the block that is made from it.
	copies = 4
)

// Bound makes the scanner refuse records beyond the bounds, with a BreakError of ErrTooLarge.
func (s *Scanner) Bound(b Bounds) { s.bounds = &b }

// admit checks the size of the record whose head and meta section are in buf.
func (s *Scanner) admit(h recordHead) error {
	meta, err := parseMeta(s.buf.Bytes()[headSize:], h.kind)
	if err != nil {
		return s.broken(err)
	}
	most := s.bounds.Record
	switch h.kind {
	case KindStreams:
		most = maxStates
	case KindNotes:
		most = maxNotes
	case KindFrames, KindFacts:
	default:
		return s.bounds.Admit(2 * h.data) // it is not unpacked
	}
	if size := max(meta.Body, h.data-maxMeta); size > most { // what does not compress becomes a little longer
		return s.broken(fmt.Errorf("%w: %s of %d bytes, and %d at most are read", ErrTooLarge, h.kind, size, most))
	}
	return s.bounds.Admit(copies * max(meta.Body, h.data))
}

// blockLimit bounds a block of a record once it is decoded, bytes; 0 for the limit of the format.
func (r *Record) blockLimit() int {
	if !r.bound {
		return 0
	}
	return copies*r.Body + itemRoom
}
