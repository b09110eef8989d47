package tapefile

import (
	"errors"
	"fmt"
)

var (
	// ErrNotTape is returned for what is no tape file at all.
	ErrNotTape = errors.New("not a tape file")
	// ErrVersion is returned for a file of a later version than this program reads.
	ErrVersion = errors.New("tape file of an unknown version")
	// ErrCut is in a BreakError where the file ends before its end: it was cut
	// off, or is still being written.
	ErrCut = errors.New("the tape file ends early")
	// ErrDamaged is in a BreakError where bytes are not those that were written.
	ErrDamaged = errors.New("the tape file is damaged")
)

// A BreakError says where a file cannot be read on.
type BreakError struct {
	Offset int64  // where the record begins that is not whole, bytes
	Record int    // its number, from 0
	Frames uint64 // how many frames come before it
	Err    error  // ErrCut or ErrDamaged, wrapped
}

func (e *BreakError) Error() string {
	return fmt.Sprintf("%v (record %d, at byte %d); readable up to there: %d frames", e.Err, e.Record, e.Offset, e.Frames)
}

func (e *BreakError) Unwrap() error { return e.Err }
