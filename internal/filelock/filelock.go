// Package filelock locks files between processes with flock(2). The operating system releases the lock when
// the process ends; the file stays.
package filelock

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// ErrHeld is returned by Take if another process, or another open file of this one, holds the lock.
var ErrHeld = errors.New("the lock is held by another process")

// Take opens or creates a file and locks it exclusively. Closing the file releases the lock. Take does not
// wait. The error is ErrHeld or of type *fs.PathError.
func Take(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
	case err == nil:
		return f, nil
	case errors.Is(err, unix.EWOULDBLOCK):
		_ = f.Close() // nothing was written
		return nil, ErrHeld
	default:
		_ = f.Close()
		return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
}
