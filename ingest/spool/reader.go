package spool

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// reader is the place from which the store is read.
type reader struct {
	seg  *segment // nil before the first
	file *os.File
	off  int64
	seen int // records of seg that are behind it
}

// close gives up the file; the place stays.
func (r *reader) close() {
	if r.file != nil {
		r.file.Close()
		r.file = nil
	}
}

// DamageError tells of records that could not be read back and are lost, if
// the file cannot be mended.
type DamageError struct {
	Path    string // where the file is kept
	Parcels int
	Reason  error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%d blocks in %s cannot be read and were passed over: %v", e.Parcels, e.Path, e.Reason)
}

func (e *DamageError) Unwrap() error { return e.Reason }

// next reads the next record, whose data is the caller's. It gives a nil
// segment when all was read. A DamageError tells that records were passed over;
// the next call goes on behind them.
func (st *store) next() (record, *segment, error) {
	r := &st.read
	for {
		end, sealed, following := st.ahead()
		if r.seg == nil || sealed && r.off >= end {
			if following == nil {
				r.close() // a file that was removed takes room until then
				return record{}, nil, nil
			}
			if err := r.open(following); err != nil {
				return record{}, nil, st.lose(true, err)
			}
			continue
		}
		if r.off >= end {
			return record{}, nil, nil
		}
		rec, n, err := r.record(end)
		if n == 0 {
			return record{}, nil, st.lose(true, err)
		}
		r.off += n
		r.seen++
		if err != nil {
			return record{}, nil, st.lose(false, err)
		}
		st.mu.Lock()
		st.unread--
		st.mu.Unlock()
		return rec, r.seg, nil
	}
}

func (r *reader) open(seg *segment) error {
	r.close()
	f, err := os.Open(seg.path)
	r.seg, r.file, r.off, r.seen = seg, f, int64(len(segmentHead)), 0
	return err
}

// record reads the record at the reader's place, before end. n is how many
// bytes it takes, also where its bytes are damaged; 0 if that is unknown.
func (r *reader) record(end int64) (rec record, n int64, err error) {
	var head [recordHead]byte
	length, err := recordAt(r.file, r.off, end, head[:])
	if err != nil {
		return record{}, 0, err
	}
	body := make([]byte, length)
	if _, err := r.file.ReadAt(body, r.off+recordHead); err != nil {
		if errors.Is(err, io.EOF) {
			err = errDamaged
		}
		return record{}, 0, err
	}
	rec, err = parseBody(head[:], body)
	return rec, int64(recordHead + length), err
}

// ahead says how far the segment that is read goes, and which one follows.
func (st *store) ahead() (end int64, sealed bool, following *segment) {
	st.mu.Lock()
	defer st.mu.Unlock()
	seg := st.read.seg
	if seg != nil {
		end, sealed = seg.size, seg.sealed
	}
	for _, s := range st.segments {
		if seg == nil || s.number > seg.number {
			return end, sealed, s
		}
	}
	return end, sealed, nil
}

// lose gives up the record before the reader's place or, with rest set, all
// that follow in its segment.
func (st *store) lose(rest bool, reason error) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	r, n := &st.read, 1
	if rest {
		n = r.seg.records - r.seen
		r.off, r.seen = r.seg.size, r.seg.records
	}
	r.seg.damaged = true
	st.unread -= n
	st.settle(r.seg, n)
	return &DamageError{Path: segmentPath(st.dir, r.seg.number, damagedSuffix), Parcels: n, Reason: reason}
}
