// Package commandline has the error of a command that was called wrongly.
package commandline

import "fmt"

// Error is an error in how a command was called: a flag, an argument or their
// combination is invalid. A command that fails with it exits with code 2.
type Error struct{ err error }

// Errorf formats an Error as fmt.Errorf does.
func Errorf(format string, args ...any) error { return Error{fmt.Errorf(format, args...)} }

// As makes an error an Error; nil stays nil.
func As(err error) error {
	if err == nil {
		return nil
	}
	return Error{err}
}

// Error implements error.
func (e Error) Error() string { return e.err.Error() }

// Unwrap returns the wrapped error.
func (e Error) Unwrap() error { return e.err }
