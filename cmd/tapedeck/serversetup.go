package main

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"slices"
	"strings"

	"tapedeck/internal/app/demo"
	"tapedeck/internal/app/migration"
	"tapedeck/internal/app/node"
	"tapedeck/internal/app/server"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/app/startup"
	"tapedeck/internal/app/systemd"
	"tapedeck/schema/migrate"
)

// serverSetup holds what "tapedeck up" and "tapedeck serve" have in common. After open it answers
// /healthz and /readyz; start starts the node.
type serverSetup struct {
	invocation *invocation
	settings   *settings.Server
	log        *slog.Logger
	manager    *systemd.Manager // nil without one
	tls        *tls.Config      // nil for plain HTTP
	listener   net.Listener
	grpc       net.Listener    // of OTLP over gRPC alone; may be nil
	early      *startup.Server // answers until the node is started
	ends       []func()        // functions that close calls, the last one first
}

// open opens the listener and answers requests with the state of the start. The caller closes the
// result.
func (i *invocation) open(ctx context.Context, c *settings.Server, address string, log *slog.Logger) (_ *serverSetup, err error) {
	s := &serverSetup{invocation: i, settings: c, log: log}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.manager, err = systemd.Find(log); err != nil {
		return nil, err
	}
	endTraces, err := c.StartTracing(ctx, version, log)
	if err != nil {
		return nil, err
	}
	s.ends = append(s.ends, endTraces)
	if s.tls, err = c.Certificates(log); err != nil {
		return nil, err
	}
	if s.listener, err = c.OpenListener(address); err != nil {
		return nil, err
	}
	s.ends = append(s.ends, func() { _ = s.listener.Close() }) // the server may have closed it
	if s.grpc, err = c.OpenGRPC(); err != nil {
		return nil, err
	}
	if s.grpc != nil {
		s.ends = append(s.ends, func() { _ = s.grpc.Close() })
	}
	if s.early, err = startup.Serve(s.listener, s.tls, log); err != nil {
		return nil, err
	}
	s.ends = append(s.ends, s.early.Close)
	return s, nil
}

// close releases what open has opened.
func (s *serverSetup) close() {
	for _, end := range slices.Backward(s.ends) {
		end()
	}
}

// migrate updates ClickHouse's tables, and reports the progress to /readyz and the service manager.
func (s *serverSetup) migrate(ctx context.Context, dsn string, cold migrate.Cold) error {
	show := func(text string) { s.early.SetDetail(text); s.manager.Starting(text) }
	return migration.First(ctx, dsn, migrate.Options{Program: version, Log: s.log, Cold: cold}, show)
}

// start starts the node and its server. dir is the data directory.
func (s *serverSetup) start(ctx context.Context, cfg node.Config, dir string, opts server.Options) (*server.Server, error) {
	cfg.Version, cfg.Log = version, s.log
	cfg, err := s.settings.NodeConfig(cfg)
	if err != nil {
		return nil, err
	}
	n, err := node.Start(ctx, cfg)
	if err != nil {
		return nil, err
	}
	guards, err := s.settings.OpenGuards(ctx, n, dir, s.log)
	if err != nil {
		return nil, errors.Join(err, closeNode(ctx, n))
	}
	s.settings.WarnPlain(s.listener, strings.HasPrefix(s.settings.PublicURL, "https://"), s.log)
	opts.Manager, opts.TLS, opts.Guards, opts.Node, opts.Listener, opts.GRPC = s.manager, s.tls, guards, n, s.listener, s.grpc
	opts, err = s.settings.ServerOptions(opts, s.log)
	if err != nil {
		return nil, errors.Join(err, closeNode(ctx, n))
	}
	srv := server.New(opts)
	s.invocation.watch(ctx, n, srv, s.log)
	s.early.Close()
	return srv, nil
}

// closeNode ends a node whose server was not started.
func closeNode(ctx context.Context, n *node.Node) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), server.StopTimeout)
	defer cancel()
	return n.Close(ctx)
}

// recordDemo returns a function that records a demo session; nil if the demo is off.
func recordDemo(on bool, n *node.Node, log *slog.Logger) func(context.Context) {
	if !on {
		return nil
	}
	return func(ctx context.Context) { demo.Record(ctx, n.Recorder, n.DB, log) }
}
