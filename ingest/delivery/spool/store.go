package spool

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"tapedeck/ingest"
)

// errNoRoom is for a record that the limit leaves no room for.
var errNoRoom = errors.New("limit reached")

// store is the spool on disk: records in segment files, of which the last is appended to and
// the oldest is sent.
type store struct {
	opts *Options

	mu       sync.Mutex // guards all below and the segments
	closed   bool
	file     *os.File // the last segment's while it is appended to, or nil
	buf      []byte
	segments []*segment // the oldest first
	number   uint64     // of the next file
	bytes    int64      // on disk, all files together
	blocks   int        // in segments, not confirmed
	aside    *segment   // of blocks that Next will never take; nil until there is one
}

// append writes a record behind the others, unless that would go over limit, which is the
// spool's own except where a record must not be lost. After an error nothing of it counts; the
// error is errNoRoom, ErrClosed, the disk's, or, for a record that would never fit, an
// ingest.Permanent.
func (st *store) append(r *record, limit int64) error {
	if int64(len(r.block.Data)) > min(st.opts.Limit/2, maxBody/2) {
		return ingest.Permanent(fmt.Errorf("block of %s is too large for the spool %s with its limit of %s",
			size(int64(len(r.block.Data))), st.opts.Dir, size(st.opts.Limit)))
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
		if st.file.Truncate(seg.size) != nil { // what was written of it must not stand before the next record
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

// create begins a segment. It needs the lock.
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

// write appends bytes to a segment's file. It needs the lock.
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

// seal ends the last segment: no more is written to it. It needs the lock.
func (st *store) seal() {
	if st.file != nil {
		st.file.Close() // nothing is buffered here: every write was checked
		st.file = nil
	}
}

// oldest returns the oldest segment that was not read, nil if there is none. No more is
// written to it.
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

// wasRead records that all of a segment was read. It reports whether that made room.
func (st *store) wasRead(seg *segment) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	seg.read = true
	return st.drop(seg)
}

// confirm records that a block of seg, taken at the given time, need not be kept any longer.
// It reports whether that made room.
func (st *store) confirm(seg *segment, at int64) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	seg.left--
	st.blocks--
	seg.oldestAt = max(seg.oldestAt, at)
	return st.drop(seg)
}

// lose records blocks of seg that cannot be read. The file is kept for a person to look at.
func (st *store) lose(seg *segment, blocks int) {
	st.mu.Lock()
	defer st.mu.Unlock()
	seg.damaged = true
	seg.left -= blocks
	st.blocks -= blocks
}

// drop removes a segment that was read and whose blocks are all confirmed. It needs the lock.
func (st *store) drop(seg *segment) bool {
	if !seg.read || seg.left > 0 || !slices.Contains(st.segments, seg) {
		return false
	}
	st.segments = slices.DeleteFunc(st.segments, func(s *segment) bool { return s == seg })
	if seg.damaged {
		_ = os.Rename(seg.path, segmentPath(st.opts.Dir, seg.number, damagedSuffix)) // else it is found damaged again
		return false                                                                 // it was reported when it was found, and still takes room
	}
	os.Remove(seg.path) // should it stay, it is sent again at the next start
	st.bytes -= seg.size
	return true
}

// setAside appends a record to the file of those that Next will never take. They were
// accepted, so they are kept, and tried once more at the next start, when the reason may be
// gone: a limit that was raised, for example. The limit does not hold for it: its copy in the
// segment is about to go.
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
		// What a failed write leaves behind the end is written over, or cut at the next start.
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

// load returns how much is on disk, how many blocks were not confirmed, and about when the
// oldest of them was taken.
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

// close ends the use of the files. A segment whose blocks are all confirmed goes.
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

// syncDir makes a new file's name durable, where that is asked for.
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
