package proxy

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// Serve answers on a listener until ctx ends, then lets what is going on finish
// for drain at most, and makes all recordings durable. It returns nil after
// such an end.
func (p *Proxy) Serve(ctx context.Context, ln net.Listener, drain time.Duration) error {
	srv := &http.Server{
		Handler: p, ReadHeaderTimeout: 30 * time.Second, ErrorLog: log.New(logLines{p.opts.Log}, "", 0),
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	var err error
	select {
	case err = <-failed:
		err = fmt.Errorf("proxy on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	left := make(chan error, 1)
	go func() { left <- srv.Shutdown(patience) }()
	err = errors.Join(err, p.Shutdown(patience))
	if <-left != nil {
		// Exchanges have ended or were cut by now; so may their connections be.
		err = errors.Join(err, srv.Close())
	}
	return err
}

// Shutdown takes no more requests, waits for exchanges to end, cuts those that
// have not when ctx ends, and waits until all recordings are durable. A server
// that the proxy is a handler of does not know of upgraded connections, so this
// is called beside the server's own Shutdown.
func (p *Proxy) Shutdown(ctx context.Context) error {
	idle := p.serving.close()
	select {
	case <-idle:
	case <-ctx.Done():
		p.cut(errShutdown)
		select {
		case <-idle:
		case <-time.After(cutTimeout):
			return fmt.Errorf("proxy: %d exchanges did not end although they were cut", p.serving.inside())
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

// cutTimeout is how long exchanges may take to end once they were cut.
const cutTimeout = 10 * time.Second

// gate counts who is inside, and can be closed.
type gate struct {
	mu     sync.Mutex // guards all below
	count  int
	closed bool
	idle   chan struct{} // closed once the gate is, and nobody is inside
}

func (g *gate) init() { g.idle = make(chan struct{}) }

// enter is false once the gate is closed.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.count++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count--
	if g.closed && g.count == 0 {
		close(g.idle)
	}
}

func (g *gate) close() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed && g.count == 0 {
		close(g.idle)
	}
	g.closed = true
	return g.idle
}

func (g *gate) inside() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.count
}
