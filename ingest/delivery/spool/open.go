package spool

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// openStore reads the blocks that an earlier process left in the directory, and truncates
// incomplete records.
func openStore(opts *Options) (*store, error) {
	st := &store{opts: opts}
	entries, err := os.ReadDir(opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("read spool directory: %w", err)
	}
	for _, e := range entries {
		number, suffix, ok := parseName(e.Name())
		if !ok {
			continue
		}
		st.number = max(st.number, number+1)
		path := filepath.Join(opts.Dir, e.Name())
		if suffix == damagedSuffix && !isWhole(path) {
			if info, err := e.Info(); err == nil {
				st.bytes += info.Size()
			}
			opts.Log.Warn("spool: there is a damaged file; look at it, then remove it", "path", path)
			continue
		}
		if suffix != pendingSuffix {
			pending := segmentPath(opts.Dir, number, pendingSuffix)
			if err := os.Rename(path, pending); err != nil {
				return nil, fmt.Errorf("try blocks again that were set aside: %w", err)
			}
			path = pending
		}
		st.segments = append(st.segments, &segment{number: number, path: path})
	}
	slices.SortFunc(st.segments, func(a, b *segment) int { return cmp.Compare(a.number, b.number) })
	for i, seg := range slices.Clone(st.segments) {
		if err := st.takeUp(seg, i == len(st.segments)-1); err != nil {
			return nil, err
		}
	}
	for _, seg := range slices.Clone(st.segments) {
		if seg.records == 0 {
			seg.read = true
			st.drop(seg)
		}
	}
	return st, nil
}

// isWhole reports whether a file can be read to its end. That is so for a file that was set aside as
// damaged because the disk did not read it at the time.
func isWhole(path string) bool {
	c, err := walkSegment(path, true)
	return err == nil && c.torn() == 0 && c.records > 0
}

// takeUp counts the records of a file. In the last file, which was being written, an incomplete
// record at the end was not acknowledged.
func (st *store) takeUp(seg *segment, last bool) error {
	c, err := walkSegment(seg.path, last)
	if err != nil {
		return fmt.Errorf("read what is left in the spool: %w", err)
	}
	seg.size, seg.records, seg.left, seg.oldestAt = c.valid, c.records, c.records, c.firstAt
	switch {
	case c.torn() > 0 && (last || c.valid == 0):
		if err := os.Truncate(seg.path, c.valid); err != nil {
			return fmt.Errorf("cut a torn end: %w", err)
		}
		st.opts.Log.Warn("spool: a file ended in a torn record, as after a kill or a power cut; it was cut off",
			"path", seg.path, "bytes", c.torn(), "blocks_kept", c.records)
	case c.torn() > 0:
		seg.damaged = true
		st.opts.Log.Error("spool: a file is damaged; what stands before the damage is sent, and the file is kept",
			"path", seg.path, "bytes_unreadable", c.torn(), "blocks_kept", c.records)
	}
	st.bytes += seg.size
	st.blocks += c.records
	return nil
}
