package spool

import (
	"errors"
	"fmt"
)

var (
	// ErrFull refuses a block that neither the next publisher nor the disk accepts.
	ErrFull = errors.New("spool is full")
	// ErrInUse is returned for a directory that another process uses.
	ErrInUse = errors.New("spool directory")
	// ErrClosed is returned after Close was called.
	ErrClosed = errors.New("spool is closed")
)

// FullError reports why there is no room and what to do. It is an ErrFull.
type FullError struct {
	Dir          string
	Bytes, Limit int64 // size of the directory, and its limit
	Disk         error // error of the disk, unless the limit is reached
	Next         error // why the next publisher accepted nothing, if known
	Cause        error // why Publish stopped waiting
}

func (e *FullError) Error() string {
	what := fmt.Sprintf("spool %s is full: %s of %s", e.Dir, size(e.Bytes), size(e.Limit))
	todo := "raise --spool-limit, or restore the connection to the server"
	if e.Disk != nil {
		what = fmt.Sprintf("spool %s cannot be written: %v", e.Dir, e.Disk)
		todo = "make room on that disk, name another directory, or restore the connection to the server"
	}
	if e.Next != nil {
		what += fmt.Sprintf("; blocks stay there because: %v", e.Next)
	}
	return fmt.Sprintf("%s; %s (%v)", what, todo, e.Cause)
}

// Unwrap returns ErrFull, the error of the disk, and the reason why Publish stopped waiting.
func (e *FullError) Unwrap() []error {
	all := []error{ErrFull, e.Cause}
	if e.Disk != nil {
		all = append(all, e.Disk)
	}
	return all
}

// size formats a number of bytes for display.
func size(n int64) string {
	units := [...]string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, i := float64(n), 0
	for v >= 1024 && i < len(units)-1 {
		v, i = v/1024, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", v, units[i])
}
