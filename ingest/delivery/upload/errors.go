package upload

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"tapedeck/ingest"
)

// RefusedError reports that a server refuses this client: it accepts no block until an operator
// acts. It is marked ingest.Permanent.
type RefusedError struct {
	Server string
	Status int    // HTTP status; 0 if the server did not answer as expected
	Reason string // what the server answered
	Hint   string // what to do
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s takes no recordings from here (%s): %s", e.Server, e.Reason, e.Hint)
}

// RefusesAll reports to a spool that no block will be accepted.
func (e *RefusedError) RefusesAll() bool { return true }

const sameVersion = "use the same version of tapedeck on both sides"

// busyError reports that the server does not accept blocks for now.
type busyError struct {
	reason     string
	retryAfter time.Duration
}

func (e *busyError) Error() string { return "the server does not take blocks for now: " + e.reason }

// StartingError reports that a server answers but has not started.
type StartingError struct {
	Server     string
	Detail     string // what the server waits for
	RetryAfter time.Duration
}

func (e *StartingError) Error() string {
	return fmt.Sprintf("the tapedeck server %s is starting: %s", e.Server, e.Detail)
}

// explainStatus explains an answer that is not 200. It returns a RefusedError if trying again
// cannot help. known is set if the server has answered this client before.
func explainStatus(server string, resp *http.Response, detail string, known bool) error {
	e := &RefusedError{Server: server, Status: resp.StatusCode, Reason: reasonOf(resp, detail)}
	switch status := resp.StatusCode; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.Hint = `name a token with the scope "record" by TAPEDECK_TOKEN or --token`
	case status == http.StatusUnsupportedMediaType:
		e.Hint = sameVersion
	case known, status < 400 || status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout:
		// While a known server is being replaced, a proxy before it may answer anything.
		return unreachable(server, fmt.Errorf("it answers %s", e.Reason))
	default:
		e.Hint = `is "tapedeck up" of this version running there, or "tapedeck serve" with the role ingest? --record-server names another server for recordings`
	}
	return ingest.Permanent(e)
}

// reasonOf returns an answer's status and the detail that the server gives for it.
func reasonOf(resp *http.Response, detail string) string {
	reason := fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	if detail != "" {
		reason += ": " + strings.TrimSuffix(detail, ".")
	}
	return reason
}

// unreachable returns the error for a server that does not answer.
func unreachable(server string, err error) error {
	return fmt.Errorf(`no tapedeck server answers at %s (%w): is "tapedeck up" running? Another one is named by --server or TAPEDECK_SERVER`,
		server, withoutURL(err))
}

// withoutURL removes the address, which the message contains already, from an error of net/http.
func withoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// awayError returns the error for a server that has been unavailable for longer than Grace. mu is
// held.
func (c *Client) awayError() error {
	return fmt.Errorf("the tapedeck server %s is away since %s: %w", c.opts.Server, c.down.Format(time.TimeOnly),
		c.trouble)
}
