// Package datadir locks tapedeck's data directory for one process at a time, and stores the address
// of that process in it.
package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	lockFile    = "lock"
	runtimeFile = "runtime.json"
)

// Dir is a data directory that this process has locked until Close.
type Dir struct {
	path string
	lock *os.File // holds the flock; child processes do not inherit it
	self Runtime
}

// Default returns the default data directory: tapedeck under the
// XDG data home.
func Default() (string, error) {
	// The XDG specification requires ignoring relative paths.
	if home := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, "tapedeck"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no place for tapedeck's data (%w); name a directory with --data", err)
	}
	return filepath.Join(home, ".local", "share", "tapedeck"), nil
}

// cause returns the operating system's error without the call.
func cause(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// Open claims the directory (see Claim), makes it accessible only to its owner, and locks it.
// If another process has locked it, the error is a *HeldError.
func Open(path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("data directory %s: %w", path, err)
	}
	if err := Claim(path); err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o700); err != nil {
		return nil, fmt.Errorf(
			"the data directory %s cannot be made private (%w): name a directory of this user with --data", path, cause(err),
		)
	}
	// The file is never removed: otherwise one process could lock
	// the old file while the next one creates and locks a new one.
	lock, err := os.OpenFile(filepath.Join(path, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf(
			"the data directory %s cannot be written to (%w): let this user write there, or name another one with --data",
			path, cause(err),
		)
	}
	if err := takeLock(lock); err != nil {
		lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, heldBy(path)
		}
		return nil, fmt.Errorf(
			"lock the data directory %s: %w (a network file system may not support it; name another one with --data)", path,
			err,
		)
	}
	d := &Dir{
		path: path,
		lock: lock,
		self: Runtime{PID: os.Getpid(), Started: time.Now().UTC().Truncate(time.Millisecond)},
	}
	// A killed predecessor may have left an outdated address.
	if err := d.Announce(""); err != nil {
		return nil, errors.Join(err, d.release())
	}
	return d, nil
}

// takeLock tries to lock the file for a short time: a process in Running may hold a shared lock
// during a system call.
func takeLock(lock *os.File) error {
	const attempts, pause = 10, 20 * time.Millisecond
	var err error
	for range attempts {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return err
		}
		time.Sleep(pause)
	}
	return err
}

// Path returns the directory's absolute path.
func (d *Dir) Path() string { return d.path }

// Sub returns the path of a name in the directory.
func (d *Dir) Sub(name string) string { return filepath.Join(d.path, name) }

// Announce stores the URL of the holder's HTTP server, for other
// commands on this machine and for the message of a HeldError.
func (d *Dir) Announce(address string) error {
	d.self.Address = address
	return d.self.write(d.Sub(runtimeFile))
}

// Close removes the address and unlocks the directory.
func (d *Dir) Close() error {
	err := os.Remove(d.Sub(runtimeFile))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if releaseErr := d.release(); err == nil {
		err = releaseErr
	}
	if err != nil {
		return fmt.Errorf("unlock the data directory %s: %w", d.path, err)
	}
	return nil
}

// release unlocks the directory by closing the only descriptor.
func (d *Dir) release() error { return d.lock.Close() }
