package ingest

import "errors"

// DeletedError reports that a block belongs to a session that was deleted while it was
// recorded. It is marked Permanent: no retry stores such a block.
type DeletedError struct{ Reason string }

// Error implements error.
func (e *DeletedError) Error() string { return e.Reason }

// IsDeleted reports whether an error is, or wraps, a DeletedError.
func IsDeleted(err error) bool {
	_, ok := errors.AsType[*DeletedError](err)
	return ok
}
