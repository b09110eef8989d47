package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"tapedeck/internal/h2c"
	"tapedeck/internal/httplog"
)

// Serve serves a listener until ctx ends. It then waits for exchanges in progress for at most
// drain, and makes all recordings durable. It returns nil after that.
func (p *Proxy) Serve(ctx context.Context, ln net.Listener, drain time.Duration) error {
	srv := &http.Server{
		Handler: p, ReadHeaderTimeout: 30 * time.Second, ErrorLog: httplog.New(p.opts.Log),
		Protocols: h2c.Protocols(), TLSConfig: p.opts.Certificates,
	}
	failed := make(chan error, 1)
	go func() {
		if p.opts.Certificates == nil {
			failed <- srv.Serve(ln)
			return
		}
		failed <- srv.ServeTLS(ln, "", "")
	}()
	var err error
	select {
	case err = <-failed:
		err = fmt.Errorf("proxy on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	drainCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	left := make(chan error, 1)
	go func() { left <- srv.Shutdown(drainCtx) }()
	err = errors.Join(err, p.Shutdown(drainCtx))
	if <-left != nil {
		// All exchanges have ended or were cut off, so their connections may be closed.
		err = errors.Join(err, srv.Close())
	}
	return err
}

// Shutdown accepts no more requests, waits for exchanges to end, cuts off those that have
// not ended when ctx ends, and waits until all recordings are durable. The Shutdown of an
// http.Server does not cover upgraded connections, so this is called in addition to it.
func (p *Proxy) Shutdown(ctx context.Context) error {
	idle := p.serving.close()
	select {
	case <-idle:
	case <-ctx.Done():
		p.cut(errShutdown)
		select {
		case <-idle:
		case <-time.After(cutTimeout):
			return fmt.Errorf("proxy: %d exchanges did not end after they were cut off", p.serving.active())
		}
	}
	p.cut(errShutdown)
	p.transport.CloseIdleConnections()
	done := make(chan struct{})
	go func() {
		p.recordings.Wait()
		close(done)
	}()
	select {
	case <-done:
		p.stop()
		return nil
	case <-time.After(closeTimeout):
		p.stop()
		<-done
		return fmt.Errorf("proxy: not all recordings were durable after %v", closeTimeout)
	}
}

// cutTimeout is how long exchanges may take to end after they were cut off.
const cutTimeout = 10 * time.Second

// drainGroup counts active exchanges, and can be closed.
type drainGroup struct {
	mu     sync.Mutex // guards all below
	count  int
	closed bool
	idle   chan struct{} // closed once the group is closed and no exchange is active
}

func (g *drainGroup) init() { g.idle = make(chan struct{}) }

// enter adds an exchange. It returns false once the group is closed.
func (g *drainGroup) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.count++
	return true
}

func (g *drainGroup) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count--
	if g.closed && g.count == 0 {
		close(g.idle)
	}
}

func (g *drainGroup) close() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed && g.count == 0 {
		close(g.idle)
	}
	g.closed = true
	return g.idle
}

func (g *drainGroup) active() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.count
}
