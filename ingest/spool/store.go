package spool

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"tapedeck/ingest"
)

// errNoRoom is for a record that the limit leaves no room for.
var errNoRoom = errors.New("limit reached")

// store is the spool on disk: a queue of records in segment files. One
// goroutine at a time appends and one reads; confirm may come from any.
type store struct {
	dir         string
	limit       int64
	segmentSize int64
	sync        bool

	// Of the one that appends.
	writing *os.File // the last segment's file, or nil
	buf     []byte

	read reader // of the one that reads

	mu       sync.Mutex // guards all below and the segments' shared fields
	segments []*segment // in order; only the last is not sealed
	number   uint64     // of the next file
	bytes    int64      // on disk, all files together
	parcels  int        // not confirmed
	unread   int        // those of them that were not read so far
	firstAt  int64      // about when the oldest of them was taken, ns; 0 if there is none
	aside    aside
}

// append writes a record behind the others, unless that would go over limit,
// which is the store's own except where a record must not be lost. After an error nothing of it
// counts; the error is errNoRoom, what the disk said, or, for a record that
// would never fit, an ingest.Permanent.
func (st *store) append(r *record, limit int64) error {
	if int64(len(r.parcel.Data)) > min(st.limit/2, maxBody/2) {
		return ingest.Permanent(fmt.Errorf("block of %s is too large for the spool %s with its limit of %s",
			size(int64(len(r.parcel.Data))), st.dir, size(st.limit)))
	}
	if cap(st.buf) > 8<<20 {
		st.buf = nil
	}
	st.buf = appendRecord(st.buf[:0], r)
	seg, err := st.room(int64(len(st.buf)), limit)
	if err != nil {
		return err
	}
	if err := st.write(seg, st.buf); err != nil {
		return fmt.Errorf("write %s: %w", seg.path, err)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.parcels == 0 {
		st.firstAt = r.at
	}
	seg.size += int64(len(st.buf))
	seg.records++
	seg.left++
	st.bytes += int64(len(st.buf))
	st.parcels++
	st.unread++
	if seg.size >= st.segmentSize {
		st.seal(seg)
	}
	return nil
}

// room gives the segment to write n bytes to, a new one where that is due.
func (st *store) room(n, limit int64) (*segment, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.writing == nil {
		n += int64(len(segmentHead))
	}
	if st.bytes+n > limit {
		return nil, errNoRoom
	}
	if st.writing != nil {
		return st.segments[len(st.segments)-1], nil
	}
	seg := &segment{number: st.number, size: int64(len(segmentHead))}
	seg.path = segmentPath(st.dir, seg.number, pendingSuffix)
	f, err := createSegment(seg.path)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", seg.path, err)
	}
	if err := st.syncDir(); err != nil {
		f.Close()
		os.Remove(seg.path)
		return nil, err
	}
	st.number++
	st.writing = f
	st.segments = append(st.segments, seg)
	st.bytes += seg.size
	return seg, nil
}

func (st *store) write(seg *segment, b []byte) error {
	_, err := st.writing.WriteAt(b, seg.size)
	if err == nil && st.sync {
		err = st.writing.Sync()
	}
	if err == nil {
		return nil
	}
	// What was written of it must not stand before the next record. If it
	// cannot be cut off, the segment ends here.
	if st.writing.Truncate(seg.size) != nil {
		st.mu.Lock()
		st.seal(seg)
		st.mu.Unlock()
	}
	return err
}

// seal ends the last segment. It needs the lock.
func (st *store) seal(seg *segment) {
	st.writing.Close() // nothing is buffered here: every write was checked
	st.writing = nil
	seg.sealed = true
	if seg.left == 0 {
		st.drop(seg)
	}
}

// confirm notes that a record of seg need not be kept any longer, and reports
// whether that made room.
func (st *store) confirm(seg *segment) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.settle(seg, 1)
}

// settle takes n records off a segment. It needs the lock.
func (st *store) settle(seg *segment, n int) bool {
	seg.left -= n
	st.parcels -= n
	if st.parcels == 0 {
		st.firstAt = 0
	}
	if !seg.sealed || seg.left > 0 {
		return false
	}
	st.drop(seg)
	return true
}

// drop removes a segment's file. It needs the lock.
func (st *store) drop(seg *segment) {
	for i := range st.segments {
		if st.segments[i] == seg {
			st.segments = append(st.segments[:i:i], st.segments[i+1:]...)
			break
		}
	}
	if seg.damaged {
		_ = os.Rename(seg.path, segmentPath(st.dir, seg.number, damagedSuffix)) // else it is found damaged again
		return                                                                  // it was reported when it was found, and goes on to take room
	}
	os.Remove(seg.path) // should it stay, it is sent again at the next start
	st.bytes -= seg.size
}

// retire ends the last segment if everything was read, and reports whether
// that is so. Nobody writes or reads meanwhile.
func (st *store) retire() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.unread > 0 {
		return false
	}
	if st.writing != nil {
		st.seal(st.segments[len(st.segments)-1])
	}
	st.read.close()
	return true
}

// oldest notes when the oldest record that was not confirmed was taken.
func (st *store) oldest(at int64) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.parcels > 0 {
		st.firstAt = at
	}
}

// load says how much is on disk, how many parcels were not confirmed, and
// about when the oldest of them was taken.
func (st *store) load() (bytes int64, parcels int, firstAt int64) {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.bytes, st.parcels, st.firstAt
}

// close ends the use of the files: those that are confirmed altogether go, the
// rest stays.
func (st *store) close() {
	st.read.close()
	st.aside.close()
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.writing != nil {
		st.seal(st.segments[len(st.segments)-1])
	}
}

// syncDir makes a new file's name durable, where that is asked for.
func (st *store) syncDir() error {
	if !st.sync {
		return nil
	}
	d, err := os.Open(st.dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
