package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"tapedeck/deploy/local/datadir"
	"tapedeck/ingest/jetstream"
)

// serveCommand runs parts of tapedeck against real servers.
type serveCommand struct {
	logFlags
	serverDurability
	profileFlags
	limitFlags
	thresholds
	readerLimits
	Role       []string      `help:"Parts to run: ingest, sink, api." default:"ingest,sink,api" enum:"ingest,sink,api" placeholder:"ROLE,…"`
	NATS       string        `help:"NATS servers." name:"nats" default:"nats://127.0.0.1:4222" env:"TAPEDECK_NATS" placeholder:"URL"`
	ClickHouse string        `help:"ClickHouse: clickhouse://user:password@host:9000/database" name:"clickhouse" default:"clickhouse://127.0.0.1:9000/default" env:"TAPEDECK_CLICKHOUSE" placeholder:"DSN"`
	Listen     string        `help:"Address of the API." default:"127.0.0.1:4600" placeholder:"ADDR"`
	Data       string        `help:"Directory for the spool. Default: tapedeck in the XDG data home." type:"path" placeholder:"DIR"`
	QuietAfter time.Duration `help:"How long an open session may be without a frame before it is quiet rather than running." default:"30s" env:"TAPEDECK_QUIET_AFTER" placeholder:"D"`
	Replicas   int           `help:"Replicas of the JetStream streams." default:"1"`
	MaxBytes   int64         `help:"Size limit of the JetStream stream, bytes." default:"17179869184"`
	Migrate    bool          `help:"Apply migrations at start."`
}

// Run serves until it is told to stop.
func (c *serveCommand) Run(ctx context.Context) error {
	if err := errors.Join(checkNATS(c.NATS), checkClickHouse(c.ClickHouse)); err != nil {
		return err
	}
	if err := errors.Join(c.readerLimits.check(), c.limitFlags.check(), checkQuietAfter(c.QuietAfter)); err != nil {
		return err
	}
	log := c.logger()
	l, err := listen(c.Listen)
	if err != nil {
		return err
	}
	defer l.Close()
	if c.Data == "" {
		if c.Data, err = datadir.Default(); err != nil {
			return err
		}
	}
	if c.Migrate {
		if err := migrate(ctx, c.ClickHouse, log); err != nil {
			return err
		}
	}
	has := func(role string) bool { return slices.Contains(c.Role, role) }
	n, err := startNode(ctx, nodeConfig{
		roles: roles{ingest: has("ingest"), sink: has("sink"), api: has("api")},
		connect: func(o ...nats.Option) (*nats.Conn, error) {
			return nats.Connect(c.NATS, o...)
		},
		nats: c.NATS, dsn: c.ClickHouse, spoolDir: filepath.Join(c.Data, "spool"),
		streams:   jetstream.Config{Replicas: c.Replicas, MaxBytes: c.MaxBytes, Durability: c.setting()},
		syncSpool: c.sync(), quietAfter: c.QuietAfter, pprof: c.Pprof, limits: c.limits(), log: log, thresholds: c.thresholds, readers: c.readerLimits,
	})
	if err != nil {
		return err
	}
	s := newServer(n, l, log)
	log.Info("serving", "url", s.url(), "roles", c.Role)
	return s.run(ctx, &stopClock{}, nil)
}
