package snapshot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// Reasons why a database is not read.
var (
	// ErrForeign reports a file that is not a database, is damaged, or lacks a table or column that
	// the statements read.
	ErrForeign = errors.New("not a database, or not one that the statements read")
	// ErrLocked reports a database that another program has locked for longer than lockedFor.
	ErrLocked = fmt.Errorf("another program has kept it locked for %v; the next sync reads it, or end that program",
		lockedFor)
	// ErrChanging reports a database whose files were changed during each of several reads.
	ErrChanging = errors.New("another program opened or closed it each time that it was read; the next sync reads it")
	// ErrUnfinished reports a database with an interrupted change, which only a writer can roll
	// back.
	ErrUnfinished = errors.New(
		"a program was ended while it changed it; start that program once more, which undoes the change",
	)
	// ErrSlow reports a read that was ended by its context.
	ErrSlow = errors.New("reading it takes too long")
)

// lockedFor is how long a read waits for another program's lock.
const lockedFor = 2 * time.Second

// foreignError is an ErrForeign with a specific message.
type foreignError struct{ error }

// Is implements the method that errors.Is calls.
func (*foreignError) Is(target error) bool { return target == ErrForeign }

func (e *foreignError) Unwrap() error { return e.error }

func foreign(format string, args ...any) error { return &foreignError{fmt.Errorf(format, args...)} }

// Missing reports whether an error of DB.Each says that a table or column is missing.
func Missing(err error) bool { return errors.Is(err, sqlite3.ERROR) }

// explain converts an error of the library to one of the errors above; it returns other errors
// unchanged.
func explain(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return ErrSlow
	}
	code, ok := errors.AsType[sqlite3.ErrorCode](err)
	switch {
	case !ok:
	case code == sqlite3.INTERRUPT:
		return ErrSlow
	case code == sqlite3.BUSY:
		return ErrLocked
	case errors.Is(err, sqlite3.READONLY_ROLLBACK):
		return ErrUnfinished
	case code == sqlite3.ERROR, code == sqlite3.NOTADB, code == sqlite3.CORRUPT, code == sqlite3.TOOBIG:
		return foreign("%w", err)
	}
	return err
}

// guard calls the library and converts a panic to an error. The library panics if its memory is
// exhausted, or if a damaged file makes it access an address outside of its memory.
func guard(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = foreign("SQLite stopped: %v", p)
		}
	}()
	return call()
}
