package spool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// lockName is the file that the process using a spool keeps locked. The operating system releases
// the lock when the process ends; the file stays.
const lockName = "lock"

// takeLock locks the directory for this process.
func takeLock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock spool directory: %w", err)
	}
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
	case errors.Is(err, unix.EWOULDBLOCK):
		holder, _ := io.ReadAll(io.LimitReader(f, 512))
		f.Close()
		return nil, fmt.Errorf("%w: %s is in use by %s: stop that process, or name another directory here",
			ErrInUse, dir, describeHolder(holder))
	case err != nil:
		f.Close()
		return nil, fmt.Errorf("lock spool directory %s: %w", dir, err)
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

func describeHolder(note []byte) string {
	if s := strings.TrimSpace(string(note)); s != "" {
		return s
	}
	return "another process"
}
