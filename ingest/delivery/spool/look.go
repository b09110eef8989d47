package spool

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Waiting describes the blocks of a spool directory that are to be sent.
type Waiting struct {
	Bytes    int64     `json:"bytes"`
	Blocks   int       `json:"blocks"`
	OldestAt time.Time `json:"oldest_at,omitzero"` // when the oldest waiting block was accepted
}

// Look counts the blocks in a spool directory. It changes nothing, and another process may use the
// directory at the same time.
func Look(dir string) (Waiting, error) {
	entries, err := os.ReadDir(dir) // sorted by name, the oldest first
	if err != nil {
		return Waiting{}, fmt.Errorf("read spool directory: %w", err)
	}
	var w Waiting
	for _, e := range entries {
		if _, suffix, ok := parseName(e.Name()); !ok || suffix == damagedSuffix {
			continue
		}
		c, err := walkSegment(filepath.Join(dir, e.Name()), false)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the file was sent meanwhile
		}
		if err != nil {
			return Waiting{}, fmt.Errorf("read spool directory: %w", err)
		}
		w.Bytes += c.size
		w.Blocks += c.records
		if at := time.Unix(0, c.firstAt); c.firstAt != 0 && (w.OldestAt.IsZero() || at.Before(w.OldestAt)) {
			w.OldestAt = at
		}
	}
	return w, nil
}

// IsSpool reports whether a directory is one in which a spool was open: it holds files of a spool,
// or the lock file with the note that a spool writes into it. It changes nothing.
func IsSpool(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, fmt.Errorf("read spool directory: %w", err)
	}
	for _, e := range entries {
		if _, _, ok := parseName(e.Name()); ok {
			return true, nil
		}
	}
	note, err := os.ReadFile(filepath.Join(dir, lockName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read spool directory: %w", err)
	}
	return bytes.HasPrefix(note, []byte("process ")), nil
}
