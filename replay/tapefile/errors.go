package tapefile

import (
	"errors"
	"fmt"
)

var (
	// ErrNotTape is the error for a file that is not a tape file.
	ErrNotTape = errors.New("not a tape file")
	// ErrVersion is returned for a file of a later version than this program supports.
	ErrVersion = errors.New("tape file of an unknown version")
	// ErrCut is in a BreakError if the file ends early: it was truncated or is still being written.
	ErrCut = errors.New("the tape file ends early")
	// ErrDamaged is in a BreakError if the bytes differ from those that were written.
	ErrDamaged = errors.New("the tape file is damaged")
	// ErrTooLarge is in a BreakError if a record exceeds the Bounds of a Scanner.
	ErrTooLarge = errors.New("the tape file has a record that is too large")
)

// BreakError reports the record from which on a file is unreadable.
type BreakError struct {
	Offset int64  // start of the incomplete record, bytes
	Record int    // number of the record, from 0
	Frames uint64 // number of frames before the record
	Err    error  // wraps ErrCut, ErrDamaged or ErrTooLarge, or is why the caller refused the record
}

func (e *BreakError) Error() string {
	return fmt.Sprintf("%v (record %d, at byte %d); readable up to there: %d frames", e.Err, e.Record, e.Offset,
		e.Frames)
}

func (e *BreakError) Unwrap() error { return e.Err }
