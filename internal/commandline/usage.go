// Package commandline defines the error for a command with invalid arguments.
package commandline

import "fmt"

// Error reports that a command was called with an invalid flag, argument or combination of them. A
// command that fails with it exits with code 2.
type Error struct{ err error }

// Errorf formats an Error like fmt.Errorf.
func Errorf(format string, args ...any) error { return Error{fmt.Errorf(format, args...)} }

// As wraps an error in an Error; nil stays nil.
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
