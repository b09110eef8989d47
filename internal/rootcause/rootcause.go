// Package rootcause finds the root cause of an error.
package rootcause

import "errors"

// Of returns the last error of a chain of wrapped errors: the cause, without the context that each
// layer adds. A joined error is the end of its chain.
func Of(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}
