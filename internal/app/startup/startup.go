// Package startup answers requests while a server starts: /healthz with 200, and /readyz and all
// other paths with 503 and a description of what the server waits for.
package startup

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"html"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tapedeck/internal/app/health"
	"tapedeck/internal/httplog"
	"tapedeck/internal/problem"
)

// retryAfter is the time after which clients may try again.
const retryAfter = time.Second

// Server answers on the address of a server that is starting.
type Server struct {
	detail atomic.Pointer[string]
	http   *http.Server
	ending sync.WaitGroup
}

// Serve answers on a second listener for the socket of l, so that l stays open for the server that
// is starting. It answers nothing if l is not a TCP listener.
func Serve(l net.Listener, encrypted *tls.Config, log *slog.Logger) (*Server, error) {
	s := &Server{}
	s.SetDetail("starting")
	s.http = &http.Server{
		Handler: s, ReadHeaderTimeout: 5 * time.Second, ErrorLog: httplog.New(log),
	}
	tcp, ok := l.(*net.TCPListener)
	if !ok {
		return s, nil
	}
	f, err := tcp.File()
	if err != nil {
		return nil, fmt.Errorf("duplicate the listener %s: %w", l.Addr(), err)
	}
	defer f.Close()
	second, err := net.FileListener(f)
	if err != nil {
		return nil, fmt.Errorf("duplicate the listener %s: %w", l.Addr(), err)
	}
	s.ending.Go(func() {
		if encrypted == nil {
			_ = s.http.Serve(second) // ends on Close
			return
		}
		s.http.TLSConfig = encrypted.Clone()
		_ = s.http.ServeTLS(second, "", "")
	})
	return s, nil
}

// SetDetail sets the description of what the server waits for.
func (s *Server) SetDetail(detail string) { s.detail.Store(&detail) }

// closeTimeout bounds the wait for requests in progress.
const closeTimeout = time.Second

// Close stops answering. The server that has started answers requests on connections that are not
// accepted yet.
func (s *Server) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close() // ends requests that are still in progress
	}
	s.ending.Wait()
}

// writePage writes a page for browsers that reloads itself until the server has started.
func writePage(w http.ResponseWriter, detail string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	w.Header().Set("Refresh", "1")
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	// A write error means that the client has disconnected.
	_, _ = fmt.Fprintf(w, `<!doctype html>
<html lang="en">
<title>tapedeck is starting</title>
<meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width">
<style>body { font: 16px/1.5 system-ui, sans-serif; margin: 20vh auto; max-width: 40rem; padding: 0 1rem }</style>
<h1>The server is starting</h1>
<p>%s</p>
<p>This page opens as soon as the server answers.</p>
`, html.EscapeString(detail))
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close") // the server that has started answers the next request
	w.Header().Set(problem.ServerHeader, "1")
	w.Header().Set(problem.StartingHeader, "1")
	w.Header().Set("Cache-Control", "no-store")
	detail := *s.detail.Load()
	switch r.URL.Path {
	case "/healthz":
		_, _ = w.Write([]byte("ok\n")) // a write error means that the client has disconnected
		return
	case "/readyz":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusServiceUnavailable)
		// A write error means that the client has disconnected.
		_ = json.NewEncoder(w).Encode(health.Readiness{Checks: []health.Check{{Part: "schema", Detail: detail}}})
		return
	}
	if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") {
		writePage(w, detail)
		return
	}
	problem.Write(w, &problem.Problem{
		Title: "The server is starting", Status: http.StatusServiceUnavailable, Detail: detail, RetryAfter: retryAfter,
		Hint: "Try again: /readyz answers 200 when the server has started.",
	})
}
