package keys

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/problem"
)

// retryAfter is the Retry-After of a response to a client whose key could not be claimed.
const retryAfter = 5 * time.Second

// Problem returns the response to a request whose key is not usable; key and offset are the names
// of the request's parameters.
func Problem(err error, key, offset string) *problem.Problem {
	p := &problem.Problem{Title: "Idempotency key not usable", Status: HTTPStatus(err), Detail: Detail(err),
		Parameter: key}
	if p.Status == 0 {
		p.Status, p.RetryAfter = http.StatusServiceUnavailable, retryAfter
		p.Hint = "Repeat the request with the same key."
		return p
	}
	p.Hint = Hint(p.Status)
	if ingest.IsDeleted(err) {
		p.Title, p.Hint = "Session deleted", DeletedHint
	}
	if errors.Is(err, ErrOffset) {
		p.Parameter, p.Hint = offset, "Begin at the offset that GET /v1/ingest/{key} reports as durable, or before it."
	}
	return p
}

// DeletedHint is the hint for a key that belongs to a deleted recording.
const DeletedHint = "Nothing that was sent under this key is kept. Use another key to record it anew."

// Detail describes an error of a keyed request in one line. It leaves out the stream's errors that
// a deletion or a later request has caused.
func Detail(err error) string {
	if deleted, ok := errors.AsType[*ingest.DeletedError](err); ok {
		return deleted.Reason
	}
	if errors.Is(err, ErrSuperseded) {
		return ErrSuperseded.Error()
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ") // errors.Join separates errors with line ends
}

// HTTPStatus returns the status of a response to an error of this package or to a deletion;
// 0 for any other error.
func HTTPStatus(err error) int {
	switch {
	case ingest.IsDeleted(err):
		return http.StatusGone
	case errors.Is(err, ErrMismatch):
		return http.StatusUnprocessableEntity
	case errors.Is(err, ErrSuperseded), errors.Is(err, ErrOffset):
		return http.StatusConflict
	case errors.Is(err, ErrExpired):
		return http.StatusGone
	case errors.Is(err, ErrTooLong):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, ErrUnknown):
		return http.StatusNotFound
	}
	return 0
}

// Hint returns what a client should do after a response with a status of HTTPStatus.
func Hint(status int) string {
	switch status {
	case http.StatusUnprocessableEntity:
		return "Nothing was changed. Send the same bytes and parameters as before, or use another key."
	case http.StatusConflict:
		return "Only one request at a time may use a key, and the later one continues. Repeat this one only after that has ended."
	case http.StatusGone:
		return "Use another key."
	case http.StatusRequestEntityTooLarge:
		return "End the stream earlier and send the rest under another key."
	case http.StatusNotFound:
		return "Send it with POST /v1/ingest and this key."
	}
	return ""
}
