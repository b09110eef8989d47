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

// foreign returns a problem for a request that a page of another site may have caused, nil for
// other requests. Such a page could use the upstream's credentials and, under a host name that
// resolves to this machine, read the response.
func (p *Proxy) foreign(r *http.Request) *problem.Problem {
	if r.URL.Host == "" { // otherwise misdirected has checked the host
		names := append(slices.Clip(p.opts.Hosts), p.upstream.Hostname())
		if bad := names.Check(r, "Call it as 127.0.0.1 or localhost, or start the proxy with --allow-host NAME."); bad != nil {
			return bad
		}
	}
	bad := origin.Rule{Local: true, Also: p.opts.Origins}.Check(r, "use this proxy")
	if bad != nil {
		bad.Hint = "Send the request from a program or from a page on a loopback port, or start the proxy with --allow-origin ORIGIN."
	}
	return bad
}

// misdirected returns a problem for requests that are not for the upstream.
func (p *Proxy) misdirected(r *http.Request) *problem.Problem {
	const hint = "This proxy forwards to one server: set it as the client's base URL. As HTTPS_PROXY use a proxy that was started with --forward."
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
		Detail: fmt.Sprintf("The request is for %s, and all requests to this proxy go to %s.", r.URL.Host,
			p.upstream.Host), Hint: hint,
	}
}

// refuse answers a request that could not be forwarded.
func (p *Proxy) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if plain, ok := w.(writer); ok {
		w = plain.ResponseWriter
	}
	if errors.Is(err, errUnrecorded) {
		problem.Write(w, &problem.Problem{
			Title: "Not recorded", Status: http.StatusServiceUnavailable, Detail: "The recorder cannot accept this exchange now, and the proxy is strict.",
			Hint: "Try again, find out why the recorder is slow, or run the proxy without --strict.", RetryAfter: 5 * time.Second,
		})
		return
	}
	if cause := context.Cause(r.Context()); cause != nil && !errors.Is(cause, errShutdown) {
		panic(http.ErrAbortHandler) // the client has disconnected
	}
	failures.Inc()
	p.opts.Log.Warn("proxy: no answer from the upstream", "exchange", exchangeOf(r).label, "error", p.opts.Recorder.Mask(err.Error()))
	problem.Write(w, &problem.Problem{
		Title: "No answer from the upstream", Status: http.StatusBadGateway,
		Detail: fmt.Sprintf("%s: %v.", exchangeOf(r).label, err),
		Hint: fmt.Sprintf("The recording proxy received no response from %s: check that the server is running "+
			"and that --upstream is correct.", p.upstream.Host),
	})
}
