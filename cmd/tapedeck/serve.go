package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/app/demo"
	"tapedeck/internal/app/migration"
	"tapedeck/internal/app/node"
	"tapedeck/internal/app/server"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/app/startup"
	"tapedeck/internal/app/systemd"
	"tapedeck/internal/local/datadir"
)

// serveCommand runs parts of tapedeck against real servers.
type serveCommand struct{ settings.Serve }

// Run serves until the process is signalled to stop.
func (c *serveCommand) Run(ctx context.Context, i *invocation) error {
	log, err := start(i, &c.Server, &c.Serve)
	if err != nil {
		return err
	}
	defer endOnSecond(ctx, log)()
	natsOptions, err := c.ConnectOptions(log)
	if err := errors.Join(err, c.Complete(log)); err != nil {
		return err
	}
	has := func(role string) bool { return slices.Contains(c.Role, role) }
	endTraces, err := c.StartTracing(ctx, version, log)
	if err != nil {
		return err
	}
	defer endTraces()
	encrypted, err := c.Certificates(log)
	if err != nil {
		return err
	}
	manager, err := systemd.Find(log)
	if err != nil {
		return err
	}
	l, err := c.OpenListener(c.Listen)
	if err != nil {
		return err
	}
	defer l.Close()
	if c.Data == "" {
		if c.Data, err = datadir.Default(); err != nil {
			return err
		}
	}
	early, err := startup.Serve(l, encrypted, log)
	if err != nil {
		return err
	}
	defer early.Close()
	if c.Migrate {
		err = migration.First(ctx, c.ClickHouse, version, func(text string) { early.SetDetail(text); manager.Starting(text) }, log)
	} else if has("sink") || has("api") {
		err = migration.Check(ctx, c.ClickHouse, version)
	}
	if err != nil {
		return err
	}
	cfg, err := c.NodeConfig(node.Config{
		Roles: node.Roles{Ingest: has("ingest"), Sink: has("sink"), API: has("api")},
		Connect: func(o ...nats.Option) (*nats.Conn, error) {
			return nats.Connect(c.NATS, append(o, natsOptions...)...)
		},
		Servers: c.NATS, DSN: c.ClickHouse, SpoolDir: filepath.Join(c.Data, "spool"), Version: version, Log: log,
		Streams: jetstream.Config{Replicas: c.Replicas, MaxBytes: int64(c.MaxBytes), Durability: c.Guarantee()},
	})
	if err != nil {
		return err
	}
	n, err := node.Start(ctx, cfg)
	if err != nil {
		return err
	}
	guards, err := c.OpenGuards(ctx, n, c.Data, log)
	if err != nil {
		return errors.Join(err, closeNode(ctx, n))
	}
	c.WarnPlain(l, strings.HasPrefix(c.PublicURL, "https://"), log)
	opts, err := c.ServerOptions(server.Options{Manager: manager, TLS: encrypted, Guards: guards, Node: n, Listener: l}, log)
	if err != nil {
		return errors.Join(err, closeNode(ctx, n))
	}
	s := server.New(opts)
	i.watch(ctx, n, s, log)
	early.Close()
	log.Info("server: serving", "url", s.URL(), "roles", c.Role)
	var work func(context.Context)
	if c.Demo {
		work = func(ctx context.Context) { demo.Record(ctx, n.Recorder, n.DB, log) }
	}
	return s.Run(ctx, &server.StopClock{Limit: c.StopTimeout}, work)
}
