package spool

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
)

// openStore takes up what a former process left in the directory, and cuts off
// what was only half written.
func openStore(dir string, limit, segmentSize int64, sync bool, log *slog.Logger) (*store, error) {
	st := &store{dir: dir, limit: limit, segmentSize: segmentSize, sync: sync}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read spool directory: %w", err)
	}
	for _, e := range entries {
		number, suffix, ok := parseName(e.Name())
		if !ok {
			continue
		}
		st.number = max(st.number, number+1)
		path := filepath.Join(dir, e.Name())
		switch suffix {
		case damagedSuffix:
			if info, err := e.Info(); err == nil {
				st.bytes += info.Size()
			}
			log.Warn("spool holds a damaged file: look at it, then remove it", "path", path)
			continue
		case refusedSuffix:
			pending := segmentPath(dir, number, pendingSuffix)
			if err := os.Rename(path, pending); err != nil {
				return nil, fmt.Errorf("try refused blocks again: %w", err)
			}
			path = pending
		}
		st.segments = append(st.segments, &segment{number: number, path: path, sealed: true})
	}
	slices.SortFunc(st.segments, func(a, b *segment) int { return cmp.Compare(a.number, b.number) })
	found := st.segments
	for i, seg := range found {
		if err := st.takeUp(seg, i == len(found)-1, log); err != nil {
			return nil, err
		}
	}
	return st, nil
}

// takeUp counts what is in a file. In the last one, which was being written,
// half a record at the end is one that nobody was told is durable.
func (st *store) takeUp(seg *segment, last bool, log *slog.Logger) error {
	c, err := walkSegment(seg.path, last)
	if err != nil {
		return fmt.Errorf("read what is left in the spool: %w", err)
	}
	seg.size, seg.records, seg.left = c.valid, c.records, c.records
	switch {
	case c.torn() > 0 && (last || c.valid == 0):
		if err := os.Truncate(seg.path, c.valid); err != nil {
			return fmt.Errorf("cut a torn end: %w", err)
		}
		log.Warn("spool ended in a torn record, as after a kill or a power cut; it was cut off",
			"path", seg.path, "bytes", c.torn(), "parcels_kept", c.records)
	case c.torn() > 0:
		seg.damaged = true
		log.Error("spool file is damaged; what stands before the damage is sent, and the file is kept",
			"path", seg.path, "bytes_unreadable", c.torn(), "parcels_kept", c.records)
	}
	st.bytes += seg.size
	st.parcels += c.records
	st.unread += c.records
	if st.firstAt == 0 {
		st.firstAt = c.firstAt
	}
	if c.records == 0 {
		st.drop(seg)
	}
	return nil
}
