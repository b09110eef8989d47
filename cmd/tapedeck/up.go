package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"tapedeck/deploy/local"
	"tapedeck/ingest/jetstream"
	"tapedeck/internal/console"
	"tapedeck/schema/clickhouse"
)

// upCommand runs everything in one process tree.
type upCommand struct {
	logFlags
	serverDurability
	profileFlags
	limitFlags
	thresholds
	readerLimits
	Data       string        `help:"Data directory. Default: tapedeck in the XDG data home." placeholder:"DIR" type:"path"`
	Listen     string        `help:"Address of the API and UI." default:"127.0.0.1:4600" placeholder:"ADDR"`
	Demo       bool          `help:"Record a demo session."`
	QuietAfter time.Duration `help:"How long an open session may be without a frame before it is quiet rather than running." default:"30s" env:"TAPEDECK_QUIET_AFTER" placeholder:"D"`
	NATSListen string        `help:"Loopback address for NATS clients of other processes; none by default." placeholder:"ADDR" name:"nats-listen"`
}

// stopLimit is how long everything may take to be flushed and gone.
const stopLimit = 5 * time.Second

// Run starts the servers, serves until it is told to stop, and leaves nothing
// behind.
func (c *upCommand) Run(ctx context.Context) (err error) {
	if err := errors.Join(c.readerLimits.check(), c.limitFlags.check(), checkQuietAfter(c.QuietAfter)); err != nil {
		return err
	}
	log := c.logger()
	began := time.Now()
	l, err := listen(c.Listen) // first: a taken port is the most common trouble
	if err != nil {
		return err
	}
	defer l.Close()
	servers, err := local.Start(ctx, local.Options{
		Dir: c.Data, ListenNATS: c.NATSListen, SyncAlways: c.sync(), Logger: log,
	})
	if err != nil {
		return err
	}
	deadline := stopClock{}
	defer func() {
		ctx, cancel := deadline.context()
		defer cancel()
		err = errors.Join(err, servers.Close(ctx))
	}()
	if err := migrate(ctx, servers.ClickHouseDSN(), log); err != nil {
		return err
	}
	n, err := startNode(ctx, nodeConfig{
		roles: roles{ingest: true, sink: true, api: true}, connect: servers.ConnectNATS, dsn: servers.ClickHouseDSN(),
		spoolDir: servers.Dir() + "/spool", streams: c.streams(servers), syncSpool: c.sync(), quietAfter: c.QuietAfter, pprof: c.Pprof, limits: c.limits(), log: log, thresholds: c.thresholds, readers: c.readerLimits,
	})
	if err != nil {
		return err
	}
	s := newServer(n, l, log)
	s.extraChecks = func() []check { return localChecks(servers.Health()) }
	s.metrics.MustRegister(servers.Metrics())
	if err := servers.Announce(s.url()); err != nil {
		log.Warn("could not note the server's address in the data directory", "error", err)
	}
	log.Info("ready", "url", s.url(), "data", servers.Dir(), "in", time.Since(began).Round(time.Millisecond))
	return s.run(ctx, &deadline, c.demo(n, log))
}

// streams are the settings of JetStream's streams.
func (c *upCommand) streams(servers *local.Servers) jetstream.Config {
	cfg := localStreams(servers)
	cfg.Durability, cfg.Recreate = c.setting(), true
	return cfg
}

// localStreams bounds JetStream by what the disk has.
func localStreams(servers *local.Servers) jetstream.Config {
	c := jetstream.Config{}.WithDefaults()
	if room := int64(servers.Health().NATS.MaxStore); room > 0 {
		c.MaxBytes = min(c.MaxBytes, room/2)
	}
	return c
}

func migrate(ctx context.Context, dsn string, log *slog.Logger) error {
	db, err := clickhouse.Open(dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	applied, err := clickhouse.Migrate(ctx, db)
	if err != nil {
		return err
	}
	for _, name := range applied {
		log.Info("applied migration", "name", name)
	}
	return nil
}

func localChecks(h local.Health) []check {
	return []check{{
		Part: "local", OK: h.Ready(), State: h,
		Detail: fmt.Sprintf("ClickHouse is %s, restarted %s", h.ClickHouse.State, console.Count(h.ClickHouse.Restarts, "time")),
	}}
}

// stopClock gives all who shut down one deadline, counted from the first.
type stopClock struct{ end time.Time }

func (c *stopClock) context() (context.Context, context.CancelFunc) {
	if c.end.IsZero() {
		c.end = time.Now().Add(stopLimit)
	}
	return context.WithDeadline(context.Background(), c.end)
}
