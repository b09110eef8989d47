// Package server serves a node over HTTP: the API, the UI, metrics and health.
package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/dashboards"
	"tapedeck/ingest"
	"tapedeck/ingest/delivery/upload"
	"tapedeck/ingest/tap/websocket"
	"tapedeck/internal/app/alerting"
	"tapedeck/internal/app/alerting/notify"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/app/auth/share"
	"tapedeck/internal/app/health"
	"tapedeck/internal/app/lifecycle/backup"
	"tapedeck/internal/app/lifecycle/erasure"
	"tapedeck/internal/app/lifecycle/retention"
	"tapedeck/internal/app/node"
	"tapedeck/internal/app/systemd"
	"tapedeck/internal/budget"
	"tapedeck/internal/compressed"
	"tapedeck/internal/h2c"
	"tapedeck/internal/httplog"
	"tapedeck/internal/problem"
	"tapedeck/internal/slow"
	"tapedeck/query"
	"tapedeck/query/alerts/rule"
	"tapedeck/replay/clickhouse"
	"tapedeck/replay/live"
	"tapedeck/schema/sessioncache"
)

// Options configures a server.
type Options struct {
	Node     *node.Node
	Listener net.Listener
	// GRPC is a listener for OTLP over gRPC alone; may be nil. Run closes it.
	GRPC    net.Listener
	Log     *slog.Logger
	Limits  ingest.Limits  // limits of one client's input
	Readers *budget.Budget // budget of the readers of recordings; used with the role api
	Writers *budget.Budget // budget of the taps for large frames; used with the role ingest
	// Budgets has the bytes that each part of the server may hold, for metrics.
	Budgets map[string]int64
	// SessionCacheBytes bounds the cache of sessions; 0 for its default.
	SessionCacheBytes int64
	Concurrency       Concurrency    // limits of concurrent requests
	Headers           HeaderLimits   // limits of request headers
	Slow              SlowLimits     // of clients
	Query             query.Limits   // limits of statements
	QuietAfter        time.Duration  // how long an open session may be silent before it is quiet
	Pprof             bool           // serve profiles
	Guards                           // guards of a server with tokens; Run closes them
	TLS               *tls.Config    // for the connections; nil for plain HTTP
	Proxies           []netip.Prefix // proxies whose X-Forwarded-For names the client
	Hosts             []string       // host names of the server besides loopback names
	// Erase holds the settings of erasures; the server sets NATS, DB and similar fields.
	Erase erasure.Options
	// Retain holds the settings of retention; the server sets NATS, DB and similar fields.
	Retain retention.Options
	// AlertRules are the rules of alerts; none means that no alert begins. They are evaluated with the role api.
	AlertRules []rule.Rule
	// AlertTargets receive the alerts.
	AlertTargets []notify.Target
	// Origins are the origins of pages on other sites that may call the API: with a token where the
	// server has tokens, else to read.
	Origins []string
	// Checks adds checks to /readyz; may be nil.
	Checks func() []health.Check
	// DrainDelay is how long requests are served after the signal to stop, while /readyz answers
	// 503.
	DrainDelay time.Duration
	// BackupDir is ClickHouse's directory of backups; "" if it is not on this machine.
	BackupDir string
	// Manager is the service manager to inform of the start and the end; may be nil.
	Manager *systemd.Manager
}

// HeaderLimits bound the head of a request. The zero value of a field means its default.
type HeaderLimits struct {
	Timeout time.Duration // until it has arrived; then the connection is closed
	Bytes   int           // a larger header is answered with 431
}

// SlowLimits bound how slow a client may be. They may be changed while the server runs. Nil means
// the default.
type SlowLimits struct {
	Write *slow.Timeout // to accept one write; then the connection is closed
	Body  *slow.Timeout // to send a small body, or one block; then the connection is closed
	Lag   *slow.Timeout // behind the schedule of a playback; then it ends
}

// Defaults of HeaderLimits.
const (
	DefaultHeaderTimeout = 10 * time.Second
	DefaultHeaderBytes   = 256 << 10 // the address contains escaped tags
)

// Server serves a node over HTTP.
type Server struct {
	Options
	echo      *echo.Echo
	table     map[string]route // by method and path
	http      *http.Server
	grpc      *http.Server         // of the listener GRPC
	metrics   *prometheus.Registry // of this server; other packages use the default registry
	requests  *requestMetrics
	tapes     *clickhouse.Store   // nil without the role api
	live      *live.Library       // nil without the role api
	cache     *sessioncache.Cache // nil without the role api
	reader    *query.Reader       // nil without the role api
	watched   *sessionReaders     // nil without the role api
	views     *share.Views        // nil without the role api
	ui        *dashboards.Handler // nil without the role api
	Erasures  *erasure.Service    // nil without the role api
	retention *retention.Service  // nil without the role api
	backups   *backup.Service     // nil without the role api
	alerting  *alerting.Service   // nil without the role api, and without rules
	heads     slow.Heads
	stopping  atomic.Bool
	visits    audit.Visits
	uploads   *upload.Server     // nil without the role ingest
	sockets   *websocket.Handler // nil without the role ingest; http.Server does not wait for its connections
}

// ShutdownTimeout bounds the wait for requests in flight.
const ShutdownTimeout = time.Second

// New returns the server of a node. It serves requests in Run.
func New(opts Options) *Server {
	s := &Server{Options: opts, metrics: prometheus.NewRegistry(), table: map[string]route{}}
	s.registerMetrics()
	s.echo = s.routes()
	s.http = s.httpServer(compressed.Handler(s.echo, notEmulated, s.Slow.Write))
	s.grpc = s.httpServer(grpcAlone(s.echo))
	return s
}

// httpServer returns a server of HTTP/1.1 and HTTP/2 with the limits of the options.
func (s *Server) httpServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: cmp.Or(s.Headers.Timeout, DefaultHeaderTimeout),
		MaxHeaderBytes:    2 * cmp.Or(s.Headers.Bytes, DefaultHeaderBytes), // see boundedHeads
		ConnContext:       s.heads.ConnContext,
		ConnState:         s.heads.ConnState,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          httplog.New(s.Log),
		Protocols:         h2c.Protocols(),
	}
}

// SetQueryLimits changes the bounds of later statements. Without the role api it does nothing.
func (s *Server) SetQueryLimits(l query.Limits) {
	if s.reader != nil {
		s.reader.SetLimits(l)
	}
}

// Register adds collectors to the metrics of the server.
func (s *Server) Register(c ...prometheus.Collector) { s.metrics.MustRegister(c...) }

// URL returns the server's address.
func (s *Server) URL() string {
	scheme := "http"
	if s.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + s.Listener.Addr().String()
}

// Run serves requests until ctx ends, and runs work meanwhile if work is not nil. It then ends all
// parts in the order of the data flow, before stop's deadline.
func (s *Server) Run(ctx context.Context, stop *StopClock, work func(context.Context)) error {
	// Requests end with the server, so that open streams do not delay its end.
	life, cancelLife := context.WithCancelCause(context.WithoutCancel(ctx))
	end := func() { cancelLife(problem.ErrStopping) }
	defer end()
	s.http.BaseContext = func(net.Listener) context.Context { return life }
	s.grpc.BaseContext = s.http.BaseContext
	s.http.RegisterOnShutdown(end)
	failed := make(chan error, 2)
	go func() { failed <- s.serve(s.http, s.Listener) }()
	if s.GRPC != nil {
		go func() { failed <- s.serve(s.grpc, s.GRPC) }()
	}
	var working sync.WaitGroup
	workCtx, endWork := context.WithCancel(context.WithoutCancel(ctx)) // ends after the requests have ended
	defer endWork()
	s.Manager.Ready("serving " + s.URL())
	working.Go(func() { s.Manager.Watch(workCtx, s.alive) })
	if work != nil {
		working.Go(func() { work(workCtx) })
	}
	if s.Erasures != nil {
		working.Go(func() { s.Erasures.Run(workCtx) })
	}
	if s.watched != nil {
		working.Go(func() { s.watched.run(workCtx) })
	}
	if s.retention != nil {
		working.Go(func() { s.retention.Run(workCtx) })
	}
	if s.alerting != nil {
		working.Go(func() { s.alerting.Run(workCtx) })
	}
	if s.backups != nil {
		working.Go(func() { s.backups.Run(workCtx) })
	}
	var err error
	select {
	case <-ctx.Done():
		s.drain()
	case err = <-failed:
	}
	ending, cancel := stop.Context()
	defer cancel()
	if s.uploads != nil { // before the other parts, so that recorders receive the last confirmations
		ctx, cancel := context.WithTimeout(ending, ShutdownTimeout)
		if err := s.uploads.Close(ctx); err != nil {
			s.Log.Warn("server: some blocks of recorders were not confirmed; they are sent again", "error", err)
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
	s.cache.Close()
	s.Guards.close()
	s.Node.HandOver(ending)
	return errors.Join(err, s.Node.Close(ending))
}

// serve serves HTTP/1.1 and HTTP/2 on a listener, with TLS or without.
func (s *Server) serve(h *http.Server, l net.Listener) error {
	serve := h.Serve
	if s.TLS != nil {
		h.TLSConfig = s.TLS
		serve = func(l net.Listener) error { return h.ServeTLS(l, "", "") }
	}
	return fmt.Errorf("serve HTTP on %s: %w", l.Addr(), serve(s.heads.Listener(l)))
}

// shutdown ends the requests.
func (s *Server) shutdown(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, ShutdownTimeout)
	defer cancel()
	for _, h := range []*http.Server{s.grpc, s.http} {
		if err := h.Shutdown(ctx); err != nil {
			s.Log.Warn("server: some requests did not end in time and were cut", "error", err)
			_ = h.Close() // cuts them off
		}
	}
}

// endSockets ends recorded WebSockets, and waits until received data is durable.
func (s *Server) endSockets(ctx context.Context) {
	if s.sockets == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, ShutdownTimeout)
	defer cancel()
	if err := s.sockets.Shutdown(ctx); err != nil {
		s.Log.Warn("server: some recorded WebSockets did not end in time", "error", err)
	}
}
