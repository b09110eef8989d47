package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Runtime describes the process that holds a data directory.
type Runtime struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	Address string    `json:"address,omitempty"` // URL of the HTTP server, once it listens
}

// ErrNotRunning is returned by Running when no process holds the directory.
var ErrNotRunning = errors.New("tapedeck is not running here")

// Running returns the process that holds the directory at path. If no process holds it, the error
// is ErrNotRunning, even if a killed holder has left its address.
func Running(path string) (Runtime, error) {
	lock, err := os.OpenFile(filepath.Join(path, lockFile), os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return Runtime{}, fmt.Errorf("%s: %w", path, ErrNotRunning)
	}
	if err != nil {
		return Runtime{}, fmt.Errorf("check the data directory's lock: %w", err)
	}
	defer lock.Close()
	// Any number of processes can hold a shared lock, but none while the holder has its exclusive
	// lock. Closing the file releases it.
	switch err := syscall.Flock(int(lock.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); {
	case err == nil:
		return Runtime{}, fmt.Errorf("%s: %w", path, ErrNotRunning)
	case !errors.Is(err, syscall.EWOULDBLOCK):
		return Runtime{}, fmt.Errorf("check the data directory's lock: %w", err)
	}
	return readRuntime(path)
}

func readRuntime(path string) (Runtime, error) {
	var r Runtime
	text, err := os.ReadFile(filepath.Join(path, runtimeFile))
	if err != nil {
		return r, fmt.Errorf("read who holds %s: %w", path, err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("read who holds %s: %w", path, err)
	}
	return r, nil
}

// write replaces the file atomically.
func (r Runtime) write(path string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("store the holder of the data directory: %w", err)
	}
	temp := path + ".new"
	if err := os.WriteFile(temp, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("store the holder of the data directory: %w", err)
	}
	if err := os.Rename(temp, path); err != nil {
		return fmt.Errorf("store the holder of the data directory: %w", err)
	}
	return nil
}

// HeldError reports that another process holds the data directory.
type HeldError struct {
	Path   string
	Holder Runtime // zero if the holder has not stored its data yet
}

func heldBy(path string) error {
	// A holder that has not stored its data is starting or ending.
	holder, err := readRuntime(path)
	if err != nil {
		holder = Runtime{}
	}
	return &HeldError{Path: path, Holder: holder}
}

func (e *HeldError) Error() string {
	if e.Holder.PID == 0 {
		return fmt.Sprintf("the data directory %s is in use by another tapedeck that is starting or ending; try "+
			"again in a moment, or name another directory with --data", e.Path)
	}
	text := fmt.Sprintf("the data directory %s is in use by another tapedeck: process %d, since %s",
		e.Path, e.Holder.PID, e.Holder.Started.Local().Format("2006-01-02 15:04:05"))
	if e.Holder.Address != "" {
		text += ", at " + e.Holder.Address
	}
	return fmt.Sprintf("%s; use that one, or end it (kill %d), or name another directory with --data", text,
		e.Holder.PID)
}
