package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"tapedeck/internal/origin"
	"tapedeck/internal/problem"
)

// foreign returns a problem for a request that a page of another site may have caused,
// nil for others. Such a page could use the upstream's credentials and, under a host
// name that resolves to this machine, read the answer.
func (p *Proxy) foreign(r *http.Request) *problem.Problem {
	if r.URL.Host == "" { // otherwise misdirected has checked the host
		names := append(slices.Clip(p.opts.Hosts), p.upstream.Hostname())
		if bad := names.Check(r, "Call it as 127.0.0.1 or localhost, or start the proxy with --allow-host NAME."); bad != nil {
			return bad
		}
	}
	bad := origin.Rule{Local: true, Also: p.opts.Origins}.Check(r, "use this proxy")
	if bad != nil {
		bad.Hint = "Ask from a program or from a page on a loopback port, or start the proxy with --allow-origin ORIGIN."
	}
	return bad
}

// misdirected tells requests that are not for the upstream.
func (p *Proxy) misdirected(r *http.Request) *problem.Problem {
	const hint = "This proxy stands before one server: point the client's base URL at it, and do not name it in HTTP_PROXY or HTTPS_PROXY."
	if r.Method == http.MethodConnect {
		return &problem.Problem{
			Status: http.StatusMethodNotAllowed, Detail: "CONNECT to " + r.Host + " is refused.", Hint: hint,
		}
	}
	if r.URL.Host == "" || strings.EqualFold(r.URL.Host, p.upstream.Host) {
		return nil
	}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && r.URL.Host == local.String() {
		return nil
	}
	return &problem.Problem{
		Status: http.StatusMisdirectedRequest,
		Detail: fmt.Sprintf("The request is for %s, and all requests to this proxy go to %s.", r.URL.Host, p.upstream.Host), Hint: hint,
	}
}

// refuse answers a request that could not be forwarded.
func (p *Proxy) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if plain, ok := w.(writer); ok {
		w = plain.ResponseWriter
	}
	if errors.Is(err, errUnrecorded) {
		problem.Write(w, &problem.Problem{
			Title: "Not recorded", Status: http.StatusServiceUnavailable, Detail: "The recorder cannot take this exchange now, and the proxy is strict.",
			Hint: "Try again, see why the recorder is behind, or run the proxy without --strict.", RetryAfter: 5 * time.Second,
		})
		return
	}
	if cause := context.Cause(r.Context()); cause != nil && !errors.Is(cause, errShutdown) {
		panic(http.ErrAbortHandler) // the client is gone
	}
	failures.Inc()
	p.opts.Log.Warn("no answer from the upstream", "exchange", exchangeOf(r).shown, "error", err)
	problem.Write(w, &problem.Problem{
		Title: "No answer from the upstream", Status: http.StatusBadGateway,
		Detail: fmt.Sprintf("%s: %v.", exchangeOf(r).shown, err),
		Hint:   fmt.Sprintf("The recording proxy could not get an answer from %s: see whether that server runs and --upstream names it rightly.", p.upstream.Host),
	})
}
