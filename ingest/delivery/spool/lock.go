package spool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tapedeck/internal/filelock"
)

// lockName is the file that the process using a spool keeps locked. The operating system releases
// the lock when the process ends; the file stays.
const lockName = "lock"

// takeLock locks the directory for this process.
func takeLock(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	f, err := filelock.Take(path)
	switch {
	case errors.Is(err, filelock.ErrHeld):
		return nil, fmt.Errorf("%w: %s is in use by %s: stop that process, or name another directory here",
			ErrInUse, dir, holder(path))
	case err != nil:
		return nil, fmt.Errorf("lock spool directory: %w", err)
	}
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	note := fmt.Sprintf("process %d (%s), since %s\n", os.Getpid(), filepath.Base(program),
		time.Now().Format(time.RFC3339))
	if f.Truncate(0) == nil {
		// On a full disk the error message above lacks this note; the lock is held.
		_, _ = f.WriteAt([]byte(note), 0)
	}
	return f, nil
}

// holder returns who the process that holds the lock says it is.
func holder(path string) string {
	if f, err := os.Open(path); err == nil {
		defer f.Close()
		note, _ := io.ReadAll(io.LimitReader(f, 512)) // without it the message names no process
		if s := strings.TrimSpace(string(note)); s != "" {
			return s
		}
	}
	return "another process"
}
