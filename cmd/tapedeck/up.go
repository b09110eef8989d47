package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/app/health"
	"tapedeck/internal/app/node"
	"tapedeck/internal/app/server"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/console"
	"tapedeck/internal/local"
	"tapedeck/internal/memorylimit"
	"tapedeck/schema/migrate"
)

// upCommand runs everything in one process tree.
type upCommand struct{ settings.Up }

// Run starts the servers, serves until the process is signalled to stop, and ends the servers.
func (c *upCommand) Run(ctx context.Context, i *invocation) (err error) {
	log, err := start(i, &c.Server, &c.Up)
	if err != nil {
		return err
	}
	defer endOnSecond(ctx, log)()
	memorylimit.Bound(i.sources.Memory())
	began := time.Now()
	opened, err := i.open(ctx, &c.Server, c.Listen, log) // opened first, since a used port is the most common error
	if err != nil {
		return err
	}
	defer opened.close()
	servers, err := local.Start(ctx, local.Options{
		Dir: c.Data, Backups: c.Backups, ListenNATS: c.NATSListen, SyncAlways: c.Sync(), Logger: log,
	})
	if err != nil {
		return err
	}
	deadline := server.StopClock{Limit: c.StopTimeout}
	defer func() {
		ctx, cancel := deadline.Context()
		defer cancel()
		err = errors.Join(err, servers.Close(ctx))
	}()
	if err := opened.migrate(ctx, servers.ClickHouseDSN(), migrate.Cold{}); err != nil {
		return err
	}
	s, err := opened.start(ctx, node.Config{
		Roles: node.Roles{Ingest: true, Sink: true,
			API: true}, Connect: servers.ConnectNATS, DSN: servers.ClickHouseDSN(),
		SpoolDir: filepath.Join(servers.Dir(), "spool"), Streams: c.streams(servers),
	}, servers.Dir(), server.Options{
		BackupDir: servers.Backups(), Checks: func() []health.Check { return localChecks(servers.Health()) },
	})
	if err != nil {
		return err
	}
	s.Register(servers.Metrics())
	if err := servers.Announce(s.URL()); err != nil {
		log.Warn("server: its address could not be written to the data directory", "error", err)
	}
	log.Info("server: ready", "url", s.URL(), "data", servers.Dir(), "took", time.Since(began).Round(time.Millisecond))
	if console.IsTerminal(os.Stderr) {
		welcome(os.Stderr, s.URL())
	}
	return s.Run(ctx, &deadline, recordDemo(c.Demo, s.Node, log))
}

// streams returns the settings of JetStream's streams.
func (c *upCommand) streams(servers *local.Servers) jetstream.Config {
	cfg := localStreams(servers)
	cfg.Durability, cfg.Recreate = c.Guarantee(), true
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

func localChecks(h local.Health) []health.Check {
	return []health.Check{{
		Part: "local", OK: h.Ready(), State: h,
		Detail: fmt.Sprintf("ClickHouse is %s, restarted %s", h.ClickHouse.State,
			console.Count(h.ClickHouse.Restarts, "time")),
	}}
}
