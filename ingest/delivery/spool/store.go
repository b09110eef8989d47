package spool

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"tapedeck/ingest"
)

// errNoRoom reports that a record does not fit within the limit.
var errNoRoom = errors.New("limit reached")

// store is the spool on disk: records in segment files. Records are appended to the last file and
// sent from the oldest.
type store struct {
	opts *Options

	mu       sync.Mutex // guards all below and the segments
	closed   bool
	file     *os.File // the last segment's file while it is appended to, or nil
	buf      []byte
	segments []*segment // the oldest first
	number   uint64     // of the next file
	bytes    int64      // size of all files
	blocks   int        // in segments, not confirmed
	aside    *segment   // blocks that Next refused permanently; nil until there is one
}

// append writes a record after the others, unless the files would exceed limit. limit is the
// spool's own, except for a record that must not be lost. After an error no part of the record is
// counted. The error is errNoRoom, ErrClosed, an error of the disk, or an ingest.Permanent for a
// record that would never fit.
func (st *store) append(r *record, limit int64) error {
	if int64(len(r.block.Data)) > min(st.opts.Limit/2, maxBody/2) {
		return ingest.Permanent(&ingest.TooLargeError{Detail: fmt.Sprintf("block of %s is too large for the spool %s with its limit of %s",
			size(int64(len(r.block.Data))), st.opts.Dir, size(st.opts.Limit))})
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.closed {
		return ErrClosed
	}
	if cap(st.buf) > 8<<20 {
		st.buf = nil
	}
	st.buf = appendRecord(st.buf[:0], r)
	n := int64(len(st.buf))
	if st.file == nil {
		n += int64(len(segmentHead))
	}
	if st.bytes+n > limit {
		return errNoRoom
	}
	if st.file == nil {
		if err := st.create(); err != nil {
			return err
		}
	}
	seg := st.segments[len(st.segments)-1]
	if err := st.write(seg, st.file, st.buf); err != nil {
		if st.file.Truncate(seg.size) != nil { // a partly written record must not precede the next record
			st.seal()
		}
		return fmt.Errorf("write %s: %w", seg.path, err)
	}
	if seg.records == 0 {
		seg.oldestAt = r.at
	}
	seg.records++
	seg.left++
	st.blocks++
	if seg.size >= st.opts.SegmentSize {
		st.seal()
	}
	return nil
}

// create begins a segment. mu is held.
func (st *store) create() error {
	seg := &segment{number: st.number, size: int64(len(segmentHead))}
	seg.path = segmentPath(st.opts.Dir, seg.number, pendingSuffix)
	f, err := createSegment(seg.path)
	if err != nil {
		return fmt.Errorf("create %s: %w", seg.path, err)
	}
	if err := st.syncDir(); err != nil {
		f.Close()
		os.Remove(seg.path)
		return err
	}
	st.number++
	st.file, st.segments = f, append(st.segments, seg)
	st.bytes += seg.size
	return nil
}

// write appends bytes to a segment's file. mu is held.
func (st *store) write(seg *segment, f *os.File, b []byte) error {
	_, err := f.WriteAt(b, seg.size)
	if err == nil && st.opts.Sync {
		err = f.Sync()
	}
	if err != nil {
		return err
	}
	seg.size += int64(len(b))
	st.bytes += int64(len(b))
	return nil
}

// seal ends the last segment, to which no more is written. mu is held.
func (st *store) seal() {
	if st.file != nil {
		st.file.Close() // every write was checked, and nothing is buffered
		st.file = nil
	}
}

// oldest returns the oldest segment that was not read, nil if there is none. It seals the segment
// if it is the last one.
func (st *store) oldest() *segment {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, seg := range st.segments {
		if !seg.read {
			if seg == st.segments[len(st.segments)-1] {
				st.seal()
			}
			return seg
		}
	}
	return nil
}

// wasRead records that a segment was read to its end. It reports whether that made room.
func (st *store) wasRead(seg *segment) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	seg.read = true
	return st.drop(seg)
}

// confirm records that a block of seg, accepted at the given time, need not be stored any longer.
// It reports whether that made room.
func (st *store) confirm(seg *segment, at int64) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	seg.left--
	st.blocks--
	seg.oldestAt = max(seg.oldestAt, at)
	return st.drop(seg)
}

// lose records blocks of seg that cannot be read. The file is kept for inspection.
func (st *store) lose(seg *segment, blocks int) {
	st.mu.Lock()
	defer st.mu.Unlock()
	seg.damaged = true
	seg.left -= blocks
	st.blocks -= blocks
}

// drop removes a segment that was read and whose blocks are all confirmed. mu is held.
func (st *store) drop(seg *segment) bool {
	if !seg.read || seg.left > 0 || !slices.Contains(st.segments, seg) {
		return false
	}
	st.segments = slices.DeleteFunc(st.segments, func(s *segment) bool { return s == seg })
	if seg.damaged {
		// Otherwise it is found damaged again.
		_ = os.Rename(seg.path, segmentPath(st.opts.Dir, seg.number, damagedSuffix))
		// The damage was reported when it was found, and the file still takes room.
		return false
	}
	os.Remove(seg.path) // if the file cannot be removed, it is sent again at the next start
	st.bytes -= seg.size
	return true
}

// setAside appends a record to the file of blocks that Next refused permanently. The spool had
// accepted them, so it keeps them and tries them again at the next start, when the reason may no
// longer apply: a limit was raised, for example. The spool's limit does not apply to this record,
// since its copy in the segment is about to be removed.
func (st *store) setAside(r *record) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.aside == nil {
		path := segmentPath(st.opts.Dir, st.number, refusedSuffix)
		f, err := createSegment(path)
		if err != nil {
			return fmt.Errorf("set a refused block aside: %w", err)
		}
		f.Close()
		st.aside = &segment{number: st.number, path: path, size: int64(len(segmentHead))}
		st.bytes += st.aside.size
		st.number++
	}
	f, err := os.OpenFile(st.aside.path, os.O_RDWR, 0)
	if err == nil {
		// The bytes of a failed write are overwritten, or truncated at the next start.
		err = st.write(st.aside, f, appendRecord(nil, r))
		f.Close()
	}
	if err != nil {
		return fmt.Errorf("set a refused block aside: %w", err)
	}
	st.aside.records++
	return nil
}

// asideCount returns the number of blocks that are set aside.
func (st *store) asideCount() int {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.aside == nil {
		return 0
	}
	return st.aside.records
}

// load returns how many bytes are on disk, how many blocks were not confirmed, and approximately
// when the oldest of these blocks was accepted.
func (st *store) load() (bytes int64, blocks int, oldestAt int64) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, seg := range st.segments {
		if seg.left > 0 {
			oldestAt = seg.oldestAt
			break
		}
	}
	return st.bytes, st.blocks, oldestAt
}

// close closes the files. It removes a segment whose blocks are all confirmed.
func (st *store) close() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.closed = true
	st.seal()
	for _, seg := range slices.Clone(st.segments) {
		if seg.left == 0 {
			seg.read = true
			st.drop(seg)
		}
	}
}

// syncDir makes a new file's name durable if Options.Sync is set.
func (st *store) syncDir() error {
	if !st.opts.Sync {
		return nil
	}
	d, err := os.Open(st.opts.Dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
