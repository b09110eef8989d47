package redecode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"tapedeck/ingest/dialect/custom"
	"tapedeck/internal/problem"
)

// Handle answers POST /v1/sessions/{id}/redecode?dialect=&outdated=, whose body may be a
// dialect file: 200 with a Result once readers see the new facts. If the client disconnects,
// the run stops and the session stays unchanged.
func (r *Redecoder) Handle(w http.ResponseWriter, req *http.Request, tenant, session string) {
	opts, err := parameters(req)
	if err == nil {
		opts.File, err = dialectFile(req)
	}
	var result *Result
	if err == nil {
		result, err = r.Decode(req.Context(), tenant, session, opts)
	}
	if err != nil {
		r.fail(w, req, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(result) // a write error means that the client has disconnected
}

func parameters(req *http.Request) (opts Options, err error) {
	values, err := url.ParseQuery(req.URL.RawQuery)
	if err != nil {
		return opts, problem.BadParameter("", "The query of the URL cannot be read: "+err.Error())
	}
	if bad := problem.UnknownParameter(values, "dialect", "outdated"); bad != nil {
		return opts, bad
	}
	for _, name := range []string{"dialect", "outdated"} {
		if len(values[name]) > 1 {
			return opts, problem.BadParameter(name, fmt.Sprintf("The parameter %s is repeated.", name), "once")
		}
	}
	opts.Dialect = values.Get("dialect")
	switch v := values.Get("outdated"); v {
	case "1", "true":
		opts.Outdated = true
	case "", "0", "false":
	default:
		return opts, problem.BadParameter("outdated", fmt.Sprintf("outdated %q is neither on nor off.", v), "1", "0")
	}
	return opts, nil
}

// DialectFile is the media type of a request's body that is a dialect file.
const DialectFile = "application/yaml"

// dialectFile reads the dialect file in the body of a request, nil for an empty body.
func dialectFile(req *http.Request) (*custom.Mapping, error) {
	text, err := io.ReadAll(io.LimitReader(req.Body, custom.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	if len(text) == 0 {
		return nil, nil
	}
	m, err := custom.Parse("dialect file", text)
	if err != nil {
		return nil, problem.BadParameter("", err.Error())
	}
	return m, nil
}

func (r *Redecoder) fail(w http.ResponseWriter, req *http.Request, err error) {
	if req.Context().Err() != nil {
		problem.Write(w, problem.Ended(req.Context())) // in case the client is still connected
		return
	}
	p, known := problem.From(err)
	_, unfinished := errors.AsType[*unfinishedError](err)
	switch {
	case known:
	case unfinished:
		r.log.Warn("redecode: not finished", "path", req.URL.Path, "error", err)
		p = &problem.Problem{
			Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
			Detail: "The session has its new facts, but not everything that follows is done: other servers may still show " +
				"what was stored before, and secrets that were to be masked may remain on a disk.",
			Hint: "Repeat the request.",
		}
	case isUnavailable(err):
		r.log.Warn("redecode: ClickHouse does not answer", "path", req.URL.Path, "error", err)
		p = &problem.Problem{
			Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
			Detail: "The database does not answer at the moment. The session's facts are unchanged.",
			Hint:   "Try again in a few seconds; /readyz shows when it is available again.",
		}
	default:
		r.log.Error("redecode: failed", "path", req.URL.Path, "error", err)
	}
	problem.Write(w, p)
}

// isUnavailable reports whether err means that ClickHouse cannot be reached.
func isUnavailable(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, context.DeadlineExceeded)
}
