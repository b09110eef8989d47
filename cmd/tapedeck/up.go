package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/app/demo"
	"tapedeck/internal/app/health"
	"tapedeck/internal/app/migration"
	"tapedeck/internal/app/node"
	"tapedeck/internal/app/server"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/app/startup"
	"tapedeck/internal/app/systemd"
	"tapedeck/internal/console"
	"tapedeck/internal/local"
)

// upCommand runs everything in one process tree.
type upCommand struct{ settings.Up }

// Run starts the servers, serves until the process is signalled to stop, and ends them.
func (c *upCommand) Run(ctx context.Context, i *invocation) (err error) {
	log, err := start(i, &c.Server, &c.Up)
	if err != nil {
		return err
	}
	defer endOnSecond(ctx, log)()
	manager, err := systemd.Find(log)
	if err != nil {
		return err
	}
	endTraces, err := c.StartTracing(ctx, version, log)
	if err != nil {
		return err
	}
	defer endTraces()
	encrypted, err := c.Certificates(log)
	if err != nil {
		return err
	}
	began := time.Now()
	l, err := c.OpenListener(c.Listen) // first, since a taken port is the most common error
	if err != nil {
		return err
	}
	defer l.Close()
	early, err := startup.Serve(l, encrypted, log)
	if err != nil {
		return err
	}
	defer early.Close()
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
	if err := migration.First(ctx, servers.ClickHouseDSN(), version, func(text string) { early.SetDetail(text); manager.Starting(text) }, log); err != nil {
		return err
	}
	cfg, err := c.NodeConfig(node.Config{
		Roles: node.Roles{Ingest: true, Sink: true, API: true}, Connect: servers.ConnectNATS, DSN: servers.ClickHouseDSN(),
		SpoolDir: servers.Dir() + "/spool", Streams: c.streams(servers), Version: version, Log: log,
	})
	if err != nil {
		return err
	}
	n, err := node.Start(ctx, cfg)
	if err != nil {
		return err
	}
	guards, err := c.OpenGuards(ctx, n, servers.Dir(), log)
	if err != nil {
		return errors.Join(err, closeNode(ctx, n))
	}
	c.WarnPlain(l, strings.HasPrefix(c.PublicURL, "https://"), log)
	opts, err := c.ServerOptions(server.Options{
		Manager: manager, TLS: encrypted, Guards: guards, Node: n, Listener: l, BackupDir: servers.Backups(), Checks: func() []health.Check { return localChecks(servers.Health()) },
	}, log)
	if err != nil {
		return errors.Join(err, closeNode(ctx, n))
	}
	s := server.New(opts)
	i.watch(ctx, n, s, log)
	s.Register(servers.Metrics())
	early.Close()
	if err := servers.Announce(s.URL()); err != nil {
		log.Warn("server: its address could not be written to the data directory", "error", err)
	}
	log.Info("server: ready", "url", s.URL(), "data", servers.Dir(), "took", time.Since(began).Round(time.Millisecond))
	var work func(context.Context)
	if c.Demo {
		work = func(ctx context.Context) { demo.Record(ctx, n.Recorder, n.DB, log) }
	}
	return s.Run(ctx, &deadline, work)
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
		Detail: fmt.Sprintf("ClickHouse is %s, restarted %s", h.ClickHouse.State, console.Count(h.ClickHouse.Restarts, "time")),
	}}
}
