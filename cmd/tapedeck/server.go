package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/dashboards"
	"tapedeck/ingest/upload"
	"tapedeck/ingest/websocket"
	"tapedeck/internal/budget"
	"tapedeck/internal/usage"
	"tapedeck/replay/clickhouse"
	"tapedeck/replay/live"
)

// server is the HTTP side of a node.
type server struct {
	node *node
	log  *slog.Logger
	// extraChecks adds what only local mode has to /readyz; may be nil.
	extraChecks func() []check
	echo        *echo.Echo
	http        *http.Server
	listener    net.Listener
	metrics     *prometheus.Registry // of what this server has; packages count for the process
	requests    *requestMetrics
	readers     *budget.Budget      // nil without the role api
	tapes       *clickhouse.Store   // nil without the role api
	live        *live.Library       // nil without the role api
	ui          *dashboards.Handler // nil without the role api
	links       *upload.Server      // nil without the role ingest
	sockets     *websocket.Handler  // nil without the role ingest; http.Server does not wait for its connections
}

// shutdownTimeout bounds the wait for requests that are under way.
const shutdownTimeout = time.Second

// checkListen refuses addresses that listen does not open. Without tokens one must
// be on loopback: anybody who can reach the port can read and write everything.
func checkListen(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return usage.Errorf("--listen %q: it must be host:port, like 127.0.0.1:4600", addr)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return usage.Errorf("--listen %q: without tokens tapedeck answers on loopback only; use 127.0.0.1 or [::1]", addr)
	}
	return nil
}

// listen opens the address.
func listen(addr string) (net.Listener, error) {
	if err := checkListen(addr); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w\nSomething else may be using the port; choose another with --listen", addr, err)
	}
	return l, nil
}

// newServer makes the server of a node. It takes requests after serve.
func newServer(n *node, l net.Listener, log *slog.Logger) *server {
	s := &server{node: n, log: log, listener: l, metrics: prometheus.NewRegistry()}
	life, end := context.WithCancel(context.Background())
	s.registerMetrics()
	s.echo = s.routes()
	s.http = &http.Server{
		Handler:           s.echo,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		// Requests end with the server, so that open streams do not hold it up.
		BaseContext: func(net.Listener) context.Context { return life },
		ErrorLog:    slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	s.http.RegisterOnShutdown(end)
	return s
}

// url is the server's address for people.
func (s *server) url() string { return "http://" + s.listener.Addr().String() }

// run answers requests until ctx ends, with work, if any, beside it; then it
// ends everything in the order in which data flows.
func (s *server) run(ctx context.Context, stop *stopClock, work func(context.Context)) error {
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(s.listener) }()
	var working sync.WaitGroup
	workCtx, endWork := context.WithCancel(ctx)
	defer endWork()
	if work != nil {
		working.Go(func() { work(workCtx) })
	}
	var err error
	select {
	case <-ctx.Done():
		s.log.Info("stopping")
	case err = <-failed:
		err = fmt.Errorf("serve HTTP on %s: %w", s.listener.Addr(), err)
	}
	ending, cancel := stop.context()
	defer cancel()
	if s.links != nil { // before the rest, so that recorders hear the last confirmations
		ctx, cancel := context.WithTimeout(ending, shutdownTimeout)
		if err := s.links.Close(ctx); err != nil {
			s.log.Warn("some recorders were cut off; they send again", "error", err)
		}
		cancel()
	}
	s.shutdown(ending)
	s.endSockets(ending)
	endWork()
	working.Wait()
	if s.live != nil {
		s.live.Close()
	}
	if s.tapes != nil {
		err = errors.Join(err, s.tapes.Close())
	}
	return errors.Join(err, s.node.close(ending))
}

// shutdown ends the requests.
func (s *server) shutdown(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, shutdownTimeout)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		s.log.Warn("some requests did not end in time and were cut", "error", err)
		_ = s.http.Close() // cuts them
	}
}

// endSockets ends recorded WebSockets, and waits until what came is durable.
func (s *server) endSockets(ctx context.Context) {
	if s.sockets == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, shutdownTimeout)
	defer cancel()
	if err := s.sockets.Shutdown(ctx); err != nil {
		s.log.Warn("some recorded WebSockets did not end in time", "error", err)
	}
}
