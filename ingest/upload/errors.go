package upload

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"tapedeck/ingest"
)

// RefusedError says that a server will not have this client: no block will be
// taken until somebody acts. It comes marked ingest.Permanent.
type RefusedError struct {
	Server string
	Status int    // of HTTP; 0 if the server did not speak HTTP as expected
	Reason string // what the server said
	Hint   string // what to do
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s takes no recordings from here (%s): %s", e.Server, e.Reason, e.Hint)
}

// RefusesAll tells a spool that no block will be taken.
func (e *RefusedError) RefusesAll() bool { return true }

const sameVersion = "use the same version of tapedeck on both sides"

// explainHandshake explains a handshake that failed. What trying again will not mend is a
// RefusedError. known is set for a server that has had this client before.
func explainHandshake(server string, resp *http.Response, err error, known bool) error {
	if resp == nil {
		return unreachable(server, err)
	}
	e := &RefusedError{Server: server, Status: resp.StatusCode, Reason: reasonOf(resp)}
	switch status := resp.StatusCode; {
	case status == http.StatusSwitchingProtocols:
		e.Reason, e.Hint = "it does not speak "+Protocol, sameVersion
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.Hint = `name a token with the scope "ingest" by TAPEDECK_TOKEN or --token`
	case status == http.StatusUpgradeRequired:
		e.Hint = sameVersion
	case known, status < 400 || status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout:
		// While a server that is known is being replaced, what stands before it
		// may answer anything.
		return unreachable(server, fmt.Errorf("it answers %s", e.Reason))
	default:
		e.Hint = `is "tapedeck up" running there, or "tapedeck serve" with the role ingest?`
	}
	return ingest.Permanent(e)
}

// reasonOf reads what a server said about a request that it refused.
func reasonOf(resp *http.Response) string {
	status := fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	if resp.Body == nil {
		return status
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, 4096))
	var p struct {
		Detail string `json:"detail"`
	}
	if err != nil || json.Unmarshal(text, &p) != nil || p.Detail == "" {
		return status
	}
	return status + ": " + strings.TrimSuffix(p.Detail, ".")
}

// unreachable says that no server answers.
func unreachable(server string, err error) error {
	return fmt.Errorf(`no tapedeck server answers at %s (%w): is "tapedeck up" running? Another one is named by --server or TAPEDECK_SERVER`,
		server, withoutURL(err))
}

// withoutURL leaves out what net/http says around an error of the network: the
// address, which the message has anyway.
func withoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// awayError says that the server is away for longer than the grace. It needs mu.
func (c *Client) awayError() error {
	return fmt.Errorf("the tapedeck server %s is away since %s: %w", c.opts.Server, c.down.Format(time.TimeOnly), c.trouble)
}
