// Package startup answers requests while a server starts: /healthz with 200, and /readyz and
// all other paths with 503 and what the server waits for.
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

// retryAfter is when clients may try again.
const retryAfter = time.Second

// Server answers on the address of the server that starts.
type Server struct {
	detail atomic.Pointer[string]
	http   *http.Server
	ending sync.WaitGroup
}

// Serve answers on a second listener for the socket of l, so that l stays open for the server
// that follows. It answers nothing if l is not a TCP listener.
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
			_ = s.http.Serve(second) // it ends with Close
			return
		}
		s.http.TLSConfig = encrypted.Clone()
		_ = s.http.ServeTLS(second, "", "")
	})
	return s, nil
}

// SetDetail sets what answers name as that which the server waits for.
func (s *Server) SetDetail(detail string) { s.detail.Store(&detail) }

// closeTimeout bounds the wait for requests that are being answered.
const closeTimeout = time.Second

// Close ends the answers. Requests of connections that are not accepted yet are answered by
// the server that follows.
func (s *Server) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close() // ends requests that are still being answered
	}
	s.ending.Wait()
}

// writePage writes a page for browsers that loads itself again until the server has started.
func writePage(w http.ResponseWriter, detail string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	w.Header().Set("Refresh", "1")
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	// An error means that the client has left.
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
	w.Header().Set("Connection", "close") // the server that follows answers the next request
	w.Header().Set(problem.StartingHeader, "1")
	w.Header().Set("Cache-Control", "no-store")
	detail := *s.detail.Load()
	switch r.URL.Path {
	case "/healthz":
		_, _ = w.Write([]byte("ok\n")) // the client has left
		return
	case "/readyz":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_ = json.NewEncoder(w).Encode(health.Readiness{Checks: []health.Check{{Part: "schema", Detail: detail}}}) // the client has left
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
