package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"tapedeck/deploy/demo"
	"tapedeck/deploy/health"
	"tapedeck/deploy/local"
	"tapedeck/deploy/node"
	"tapedeck/deploy/server"
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
	quotaFlags
	thresholds
	readerLimits
	dialectFiles
	redactFlags
	eraseFlags
	accessFlags
	tlsFlags
	auditFlags
	Data       string        `help:"Data directory. Default: tapedeck in the XDG data home." placeholder:"DIR" type:"path"`
	Listen     string        `help:"Address of the API and UI." default:"127.0.0.1:4600" placeholder:"ADDR"`
	Demo       bool          `help:"Record a demo session."`
	QuietAfter time.Duration `help:"How long an open session may be without a frame before it is quiet rather than running." default:"30s" env:"TAPEDECK_QUIET_AFTER" placeholder:"D"`
	NATSListen string        `help:"Loopback address for NATS clients of other processes; none by default." placeholder:"ADDR" name:"nats-listen"`
}

// Run starts the servers, serves until the process is signalled to stop, and ends them.
func (c *upCommand) Run(ctx context.Context) (err error) {
	if err := errors.Join(c.readerLimits.check(), c.limitFlags.check(), c.quotaFlags.check(), checkQuietAfter(c.QuietAfter), c.load()); err != nil {
		return err
	}
	rules, err := c.engine()
	if err != nil {
		return err
	}
	erasures, err := c.erasures()
	if err != nil {
		return err
	}
	proxies, err := c.proxies()
	if err != nil {
		return err
	}
	retention, err := c.retention()
	if err != nil {
		return err
	}
	log := c.logger()
	encrypted, err := c.tlsFlags.config(log)
	if err != nil {
		return err
	}
	began := time.Now()
	l, err := c.listen(c.Listen) // first, since a taken port is the most common error
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
	deadline := server.StopClock{}
	defer func() {
		ctx, cancel := deadline.Context()
		defer cancel()
		err = errors.Join(err, servers.Close(ctx))
	}()
	if err := migrate(ctx, servers.ClickHouseDSN(), log); err != nil {
		return err
	}
	n, err := node.Start(ctx, node.Config{
		Roles: node.Roles{Ingest: true, Sink: true, API: true}, Connect: servers.ConnectNATS, DSN: servers.ClickHouseDSN(),
		SpoolDir: servers.Dir() + "/spool", SyncSpool: c.sync(), Streams: c.streams(servers),
		Version: version, Log: log, Thresholds: c.settings(), Redact: rules, AuditRetention: retention, Rates: c.rates(), JSONDepth: c.MaxJSONDepth,
	})
	if err != nil {
		return err
	}
	guards, err := c.open(ctx, n, servers.Dir(), log)
	if err != nil {
		return errors.Join(err, closeNode(ctx, n))
	}
	c.warnPlain(l, strings.HasPrefix(c.PublicURL, "https://"), log)
	s := server.New(server.Options{
		TLS: encrypted, Guards: guards, Proxies: proxies, Hosts: c.hosts(), Origins: c.AllowOrigin, Node: n, Listener: l, Erase: erasures, Log: log, Limits: c.limits(), Gates: c.gates(), Headers: c.headers(), Slow: c.slow(), Query: c.queryLimits(), Readers: c.budget(), QuietAfter: c.QuietAfter, Pprof: c.Pprof,
		Checks: func() []health.Check { return localChecks(servers.Health()) },
	})
	s.Register(servers.Metrics())
	if err := servers.Announce(s.URL()); err != nil {
		log.Warn("write the server's address to the data directory", "error", err)
	}
	log.Info("ready", "url", s.URL(), "data", servers.Dir(), "in", time.Since(began).Round(time.Millisecond))
	var work func(context.Context)
	if c.Demo {
		work = func(ctx context.Context) { demo.Record(ctx, n.Recorder, n.DB, log) }
	}
	return s.Run(ctx, &deadline, work)
}

// streams returns the settings of JetStream's streams.
func (c *upCommand) streams(servers *local.Servers) jetstream.Config {
	cfg := localStreams(servers)
	cfg.Durability, cfg.Recreate = c.setting(), true
	return cfg
}

// localStreams bounds JetStream by the size of the disk.
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

func localChecks(h local.Health) []health.Check {
	return []health.Check{{
		Part: "local", OK: h.Ready(), State: h,
		Detail: fmt.Sprintf("ClickHouse is %s, restarted %s", h.ClickHouse.State, console.Count(h.ClickHouse.Restarts, "time")),
	}}
}
