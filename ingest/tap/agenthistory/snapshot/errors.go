package snapshot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// Reasons for which a database is not read.
var (
	// ErrForeign reports a file that is not a database, is damaged, or lacks a table or column that the statements read.
	ErrForeign = errors.New("not a database, or not one that the statements read")
	// ErrLocked reports a database that another program has locked for longer than lockedFor.
	ErrLocked = fmt.Errorf("another program has kept it locked for %v; the next sync reads it, or end that program", lockedFor)
	// ErrChanging reports a database whose files were changed during each of several reads.
	ErrChanging = errors.New("another program opened or closed it each time that it was read; the next sync reads it")
	// ErrUnfinished reports a database with a change that was interrupted, which only a writer can undo.
	ErrUnfinished = errors.New("a program was ended while it changed it; start that program once more, which undoes the change")
	// ErrSlow reports a read that was ended by its context.
	ErrSlow = errors.New("reading it takes too long")
)

// lockedFor is how long a lock of another program is waited for.
const lockedFor = 2 * time.Second

// foreignError is ErrForeign with a reason of its own.
type foreignError struct{ error }

// Is implements the interface of errors.Is.
func (*foreignError) Is(target error) bool { return target == ErrForeign }

func (e *foreignError) Unwrap() error { return e.error }

func foreign(format string, args ...any) error { return &foreignError{fmt.Errorf(format, args...)} }

// Missing reports whether an error of DB.Each says that a table or column is missing.
func Missing(err error) bool { return errors.Is(err, sqlite3.ERROR) }

// explain returns the reason for an error of the library; other errors are returned as they are.
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

// guard calls the library. It panics where its memory is used up, or a damaged file led it outside of its memory.
func guard(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = foreign("SQLite stopped: %v", p)
		}
	}()
	return call()
}
