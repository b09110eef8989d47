// Package problem writes errors over HTTP in the format of RFC 9457 (application/problem+json):
// what happened, to what, and what to do.
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

// SessionDeleted is the title of the problem for a deleted session, status 410.
const SessionDeleted = "Session deleted"

// StartingHeader marks answers of a server that is starting. The pages treat such a server as
// unavailable, and recording commands wait for it.
const StartingHeader = "Tapedeck-Starting"

// ServerHeader is in every answer of a tapedeck server except the answers of emulated sessions. By
// it, commands recognise and refuse answers of other servers.
const ServerHeader = "Tapedeck-Api"

// Problem is an error as the client receives it. It implements error, so that code below a handler
// can return the client's message.
type Problem struct {
	// Title names the kind of problem and is equal for all problems of the kind. "" means the text
	// of the status.
	Title  string `json:"title"`
	Status int    `json:"status"`           // the HTTP status
	Detail string `json:"detail,omitempty"` // what happened, and to what
	// Parameter is the invalid query parameter, header or field.
	Parameter string   `json:"parameter,omitempty"`
	Allowed   []string `json:"allowed,omitempty"` // the allowed values of Parameter
	Hint      string   `json:"hint,omitempty"`    // what to do
	// Limit is the limit that was reached, as the name of the server's flag that sets it.
	Limit string `json:"limit,omitempty"`
	// RetryAfter is the time after which the client should retry; it is sent as a header, in whole
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

// BadParameter returns the problem for an invalid request parameter. detail says why it is invalid,
// allowed lists the valid values.
func BadParameter(name, detail string, allowed ...string) *Problem {
	return &Problem{
		Title: "Parameter not valid", Status: http.StatusBadRequest,
		Detail: detail, Parameter: name, Allowed: allowed,
	}
}

// NotFound returns the problem for something that does not exist, or not for this tenant.
func NotFound(detail string) *Problem {
	return &Problem{Status: http.StatusNotFound, Detail: detail}
}

// Interrupted returns the problem for a request that ended because the server is shutting down.
func Interrupted() *Problem {
	return &Problem{
		Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
		Detail: "This server is shutting down.", Hint: "Try again in a few seconds.",
	}
}

// ErrStopping is the cause with which a server that is shutting down ends the contexts of its requests.
// It is no Problem: what was being streamed ends without an error, and its client connects again.
var ErrStopping = errors.New("the server is shutting down")

// ErrUnchecked is the cause with which a server ends the contexts of its requests when it can no longer
// check their credentials. Such an answer in progress ends without an error, like for ErrStopping.
var ErrUnchecked = errors.New("tokens cannot be checked")

// Unchecked returns the problem for a request whose credential cannot be checked.
func Unchecked() *Problem {
	return &Problem{
		Title: "Tokens cannot be checked", Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
		Detail: "NATS, which keeps the tokens, does not answer this server.", Hint: "Try again in a few seconds; /readyz shows when the server is ready.",
	}
}

// StatusClientLeft is the status of a request whose client disconnected before the answer began. It is
// recorded and counted; no client receives it.
const StatusClientLeft = 499

// Ended returns the problem for a request whose context has ended: the problem that ended it,
// Interrupted for ErrStopping, Unchecked for ErrUnchecked, that the client disconnected, or for any
// other cause that its credential is no longer valid.
func Ended(ctx context.Context) *Problem {
	cause := context.Cause(ctx)
	if p, ok := errors.AsType[*Problem](cause); ok {
		return p
	}
	switch {
	case errors.Is(cause, ErrStopping):
		return Interrupted()
	case errors.Is(cause, ErrUnchecked):
		return Unchecked()
	case cause != nil && !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded):
		return &Problem{
			Status: http.StatusUnauthorized, Detail: "The request ended with the credential that it was made with.",
			Hint: "Log in again, or use another token.",
		}
	}
	return &Problem{
		Title: "Client disconnected", Status: StatusClientLeft,
		Detail: "The connection was closed before the answer began.",
	}
}

// From returns the problem in err's chain. For any other error it returns a general problem without
// details and false; the caller then logs the error.
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
		panic(err) // the value has only strings and numbers
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

// Write answers a request with the problem. It must be called before any other byte of the answer
// is written.
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
	// A write error means that the client has disconnected.
	_, _ = w.Write(append(p.Append(nil), '\n'))
}

// OneOf joins the allowed values for a message: "a, b or c".
func OneOf(allowed ...string) string {
	if len(allowed) < 2 {
		return strings.Join(allowed, "")
	}
	return strings.Join(allowed[:len(allowed)-1], ", ") + " or " + allowed[len(allowed)-1]
}
