package spool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// reader reads a segment that is no longer written to.
type reader struct {
	segment *segment
	file    *os.File // nil before the first record
	off     int64
	seen    int // number of records before off
}

func (r *reader) close() {
	if r.file != nil {
		r.file.Close()
	}
}

// DamageError reports records that could not be read and are lost, unless the file can be repaired.
type DamageError struct {
	Path   string // where the damaged file is kept
	Blocks int
	Reason error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%d blocks in %s cannot be read and were passed over: %v", e.Blocks, e.Path, e.Reason)
}

func (e *DamageError) Unwrap() error { return e.Reason }

// next reads the next record, whose data belongs to the caller. The error is io.EOF at the end, or a
// DamageError, after which the next call continues with the record that follows. After another
// error, such as that no more files can be opened, the next call reads the same record.
func (r *reader) next() (record, error) {
	if r.off >= r.segment.size {
		return record{}, io.EOF
	}
	if r.file == nil {
		f, err := os.Open(r.segment.path)
		if errors.Is(err, fs.ErrNotExist) {
			return record{}, r.damage(true, err)
		}
		if err != nil {
			return record{}, err
		}
		r.file, r.off = f, int64(len(segmentHead))
		if r.off >= r.segment.size {
			return record{}, io.EOF
		}
	}
	var head [recordHead]byte
	length, err := recordAt(r.file, r.off, r.segment.size, head[:])
	var body []byte
	if err == nil {
		body = make([]byte, length)
		_, err = r.file.ReadAt(body, r.off+recordHead)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, errDamaged) { // the file is shorter than it was
		return record{}, r.damage(true, errDamaged)
	}
	if err != nil {
		return record{}, err
	}
	r.off += recordHead + int64(length)
	r.seen++
	rec, err := parseBody(head[:], body)
	if err != nil {
		return record{}, r.damage(false, err)
	}
	return rec, nil
}

// damage skips the record before off or, with rest set, all records that follow.
func (r *reader) damage(rest bool, reason error) error {
	n := 1
	if rest {
		n = r.segment.records - r.seen
		r.off, r.seen = r.segment.size, r.segment.records
	}
	return &DamageError{Path: segmentPath(filepath.Dir(r.segment.path), r.segment.number, damagedSuffix), Blocks: n,
		Reason: reason}
}
