// Package datadir holds tapedeck's data directory: one holder at a time, and a
// note on where that holder can be reached.
package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	lockFile    = "lock"
	runtimeFile = "runtime.json"
)

// Dir is a data directory that this process holds until Close.
type Dir struct {
	path string
	lock *os.File // holds the flock; nothing inherits it
	self Runtime
}

// Default returns where data goes when nobody says otherwise: tapedeck under the
// XDG data home.
func Default() (string, error) {
	// The XDG specification has relative paths ignored.
	if home := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, "tapedeck"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no place for tapedeck's data (%w); name a directory with --data", err)
	}
	return filepath.Join(home, ".local", "share", "tapedeck"), nil
}

// Open makes the directory, for its owner alone, and takes hold of it. If
// another process holds it, the error is a *HeldError.
func Open(path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("data directory %s: %w", path, err)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	if err := os.Chmod(path, 0o700); err != nil {
		return nil, fmt.Errorf("close the data directory to others: %w", err)
	}
	// The file stays when the lock goes: removing it would let one process lock
	// the old file while the next one makes and locks a new one.
	lock, err := os.OpenFile(filepath.Join(path, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the data directory's lock: %w", err)
	}
	if err := takeLock(lock); err != nil {
		lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, heldBy(path)
		}
		return nil, fmt.Errorf("lock the data directory %s: %w (a network file system may not support it; name another one with --data)", path, err)
	}
	d := &Dir{path: path, lock: lock, self: Runtime{PID: os.Getpid(), Started: time.Now().UTC().Truncate(time.Millisecond)}}
	// A note that a killed predecessor left behind would be a wrong address.
	if err := d.Announce(""); err != nil {
		return nil, errors.Join(err, d.release())
	}
	return d, nil
}

// takeLock tries for a moment: an onlooker (see Running) may have the lock for
// as long as a system call takes.
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

// Sub returns the path of something inside the directory.
func (d *Dir) Sub(name string) string { return filepath.Join(d.path, name) }

// Announce notes the address of the holder's HTTP server, a URL, for other
// commands on this machine and for whoever finds the directory held.
func (d *Dir) Announce(address string) error {
	d.self.Address = address
	return d.self.write(d.Sub(runtimeFile))
}

// Close takes the note away and lets go of the directory.
func (d *Dir) Close() error {
	err := os.Remove(d.Sub(runtimeFile))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if releaseErr := d.release(); err == nil {
		err = releaseErr
	}
	if err != nil {
		return fmt.Errorf("let go of the data directory %s: %w", d.path, err)
	}
	return nil
}

// release unlocks the directory by closing the only descriptor.
func (d *Dir) release() error { return d.lock.Close() }
