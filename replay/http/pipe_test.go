package replayhttp_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"testing"

	"tapedeck/internal/bounded"
	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/player"
)

// pipes is a network in memory, which a bubble of testing/synctest can wait on.
type pipes struct {
	dialled chan net.Conn
	closed  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialled:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	p.dialled <- server
	return client, nil
}

// servePipe serves in memory, within a bubble, and returns a client for it. The
// requests' contexts come from parent, where one is given.
func servePipe(t *testing.T, opts replayhttp.Options, parent ...context.Context) *http.Client {
	t.Helper()
	opts.Alarm = player.TimerAlarm
	opts.Logger = slog.New(slog.DiscardHandler)
	p := &pipes{dialled: make(chan net.Conn), closed: make(chan struct{})}
	srv := &http.Server{Handler: handler(replayhttp.New(opts))}
	if len(parent) > 0 {
		srv.BaseContext = func(net.Listener) context.Context { return parent[0] }
	}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(p) }()
	transport := &http.Transport{DialContext: p.dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		srv.Close()
		bounded.Receive(t, done)
	})
	return &http.Client{Transport: transport}
}

// base is the address of a server in memory.
const base = "http://memory"
