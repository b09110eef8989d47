package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/nats-io/nats.go"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/app/migration"
	"tapedeck/internal/app/node"
	"tapedeck/internal/app/server"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/local/datadir"
	"tapedeck/internal/memorylimit"
)

// serveCommand runs parts of tapedeck with external NATS and ClickHouse servers.
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
	memorylimit.Bound(i.sources.Memory())
	opened, err := i.open(ctx, &c.Server, c.Listen, log)
	if err != nil {
		return err
	}
	defer opened.close()
	if c.Data == "" {
		if c.Data, err = datadir.Default(); err != nil {
			return err
		}
	}
	if c.writesData() {
		if err := datadir.Claim(c.Data); err != nil {
			return err
		}
	}
	if err := c.prepareTables(ctx, opened); err != nil {
		return err
	}
	s, err := opened.start(ctx, c.node(natsOptions), c.Data, server.Options{})
	if err != nil {
		return err
	}
	log.Info("server: serving", "url", s.URL(), "roles", c.Role)
	return s.Run(ctx, &server.StopClock{Limit: c.StopTimeout}, recordDemo(c.Demo, s.Node, log))
}

// writesData reports whether the server writes to its data directory: a spool, or the first token.
func (c *serveCommand) writesData() bool {
	return c.has("ingest") || c.Tokens && c.AdminTokenFile == ""
}

func (c *serveCommand) has(role string) bool { return slices.Contains(c.Role, role) }

// prepareTables migrates ClickHouse's tables, or checks that this program can use them if one of
// its roles does.
func (c *serveCommand) prepareTables(ctx context.Context, opened *serverSetup) error {
	switch {
	case c.Migrate:
		cold, err := c.Cold()
		if err != nil {
			return err
		}
		return opened.migrate(ctx, c.ClickHouse, cold)
	case c.has("sink") || c.has("api"):
		return migration.Check(ctx, c.ClickHouse, version)
	}
	return nil
}

// node returns the configuration of the node.
func (c *serveCommand) node(options []nats.Option) node.Config {
	return node.Config{
		Roles: node.Roles{Ingest: c.has("ingest"), Sink: c.has("sink"), API: c.has("api")},
		Connect: func(o ...nats.Option) (*nats.Conn, error) {
			return nats.Connect(c.NATS, append(o, options...)...)
		},
		Servers: c.NATS, DSN: c.ClickHouse, SpoolDir: filepath.Join(c.Data, "spool"),
		Streams: jetstream.Config{Replicas: c.Replicas, MaxBytes: int64(c.MaxBytes), Durability: c.Guarantee()},
	}
}
