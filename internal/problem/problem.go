// Package problem writes errors over HTTP in the form of RFC 9457
// (application/problem+json): what happened, to what, and what to do about it.
package problem

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ContentType is the media type of a problem.
const ContentType = "application/problem+json"

// SessionDeleted is the title of the problem of a session that was deleted, status 410.
const SessionDeleted = "Session deleted"

// StartingHeader marks answers of a server that is starting. The pages treat such a server as one
// that is away, and recording commands wait for it.
const StartingHeader = "Tapedeck-Starting"

// Problem is an error as the client receives it. It implements error, so that any code
// below a handler can return the client's message.
type Problem struct {
	// Title names the kind of problem and is the same for all of its kind. ""
	// means the text of the status.
	Title  string `json:"title"`
	Status int    `json:"status"`           // the HTTP status
	Detail string `json:"detail,omitempty"` // what happened this time, and to what
	// Parameter is the query parameter, header or field that is at fault.
	Parameter string   `json:"parameter,omitempty"`
	Allowed   []string `json:"allowed,omitempty"` // what Parameter may be
	Hint      string   `json:"hint,omitempty"`    // what to do
	// Limit is the limit that was reached, as the server's flag that sets it is called.
	Limit string `json:"limit,omitempty"`
	// RetryAfter is when the client should retry; sent as a header, in whole
	// seconds rounded up.
	RetryAfter time.Duration `json:"-"`
}

// Error returns title and detail.
func (p *Problem) Error() string {
	if p.Detail == "" {
		return p.title()
	}
	return p.title() + ": " + p.Detail
}

func (p *Problem) title() string {
	if p.Title != "" {
		return p.Title
	}
	return http.StatusText(p.status())
}

func (p *Problem) status() int {
	if p.Status == 0 {
		return http.StatusInternalServerError
	}
	return p.Status
}

// BadParameter returns the problem of an invalid request parameter: why,
// and what it may be instead.
func BadParameter(name, detail string, allowed ...string) *Problem {
	return &Problem{
		Title: "Parameter not valid", Status: http.StatusBadRequest,
		Detail: detail, Parameter: name, Allowed: allowed,
	}
}

// NotFound returns the problem of something that does not exist, or not for this tenant.
func NotFound(detail string) *Problem {
	return &Problem{Status: http.StatusNotFound, Detail: detail}
}

// Interrupted returns the problem of a request whose context has ended: the client has
// left, or the server is shutting down.
func Interrupted() *Problem {
	return &Problem{
		Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
		Detail: "This server is shutting down.", Hint: "Try again in a few seconds.",
	}
}

// Ended returns the problem of a request whose context has ended: the one that ended it, or
// Interrupted.
func Ended(ctx context.Context) *Problem {
	if p, ok := errors.AsType[*Problem](context.Cause(ctx)); ok {
		return p
	}
	return Interrupted()
}

// From returns the problem in err's chain. For any other error it returns a general
// problem without details and false; the caller logs the
// error.
func From(err error) (*Problem, bool) {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p, true
	}
	return &Problem{
		Status: http.StatusInternalServerError,
		Detail: "The server failed to answer this request; its log says why.",
	}, false
}

// Append appends the problem as one line of JSON, without a line end.
func (p *Problem) Append(dst []byte) []byte {
	filled := *p
	filled.Title, filled.Status = p.title(), p.status()
	text := bytes.NewBuffer(dst)
	e := json.NewEncoder(text)
	e.SetEscapeHTML(false) // the text is not HTML
	if err := e.Encode(filled); err != nil {
		panic(err) // strings and numbers only
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

// Write answers a request with the problem. It must come before any other byte
// of the answer.
func Write(w http.ResponseWriter, p *Problem) {
	h := w.Header()
	h.Del("Content-Length")
	h.Set("Content-Type", ContentType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if p.RetryAfter > 0 {
		seconds := (p.RetryAfter + time.Second - 1) / time.Second
		h.Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	}
	w.WriteHeader(p.status())
	// A client that has left does not read this, so the error is ignored.
	_, _ = w.Write(append(p.Append(nil), '\n'))
}

// OneOf joins the allowed values for a message: "a, b or c".
func OneOf(allowed ...string) string {
	if len(allowed) < 2 {
		return strings.Join(allowed, "")
	}
	return strings.Join(allowed[:len(allowed)-1], ", ") + " or " + allowed[len(allowed)-1]
}
