package server

import (
	"context"
	"fmt"
	"net/http"
)

// alive sends a request for /healthz to the server's own handler, as a client would.
func (s *Server) alive(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/healthz", nil)
	if err != nil {
		return err
	}
	r.RemoteAddr = "127.0.0.1:0"
	answer := &ownAnswer{header: http.Header{}, status: http.StatusOK}
	s.echo.ServeHTTP(answer, r)
	if answer.status != http.StatusOK {
		return fmt.Errorf("/healthz answers %d", answer.status)
	}
	return nil
}

// ownAnswer records the status of an answer to the server's own request.
type ownAnswer struct {
	header http.Header
	status int
}

// Header returns the header of the answer.
func (a *ownAnswer) Header() http.Header { return a.header }

// WriteHeader records the status.
func (a *ownAnswer) WriteHeader(status int) { a.status = status }

// Write discards the body.
func (a *ownAnswer) Write(p []byte) (int, error) { return len(p), nil }
