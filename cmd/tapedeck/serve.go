package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"tapedeck/deploy/local/datadir"
	"tapedeck/deploy/node"
	"tapedeck/deploy/server"
	"tapedeck/ingest/jetstream"
)

// serveCommand runs parts of tapedeck against real servers.
type serveCommand struct {
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
	natsTLS
	clickHouseFlags
	auditFlags
	Role       []string      `help:"Parts to run: ingest, sink, api." default:"ingest,sink,api" enum:"ingest,sink,api" placeholder:"ROLE,…"`
	NATS       string        `help:"NATS servers." name:"nats" default:"nats://127.0.0.1:4222" env:"TAPEDECK_NATS" placeholder:"URL"`
	Listen     string        `help:"Address of the API." default:"127.0.0.1:4600" placeholder:"ADDR"`
	Data       string        `help:"Directory for the spool, and for admin-token with --tokens. Default: tapedeck in the XDG data home." type:"path" placeholder:"DIR"`
	QuietAfter time.Duration `help:"How long an open session may be without a frame before it is quiet rather than running." default:"30s" env:"TAPEDECK_QUIET_AFTER" placeholder:"D"`
	Replicas   int           `help:"Replicas of the JetStream streams." default:"1"`
	MaxBytes   int64         `help:"Size limit of the JetStream stream, bytes." default:"17179869184"`
	Migrate    bool          `help:"Apply migrations at start."`
}

// Run serves until the process is signalled to stop.
func (c *serveCommand) Run(ctx context.Context) error {
	log := c.logger()
	natsOptions, err := c.natsTLS.options(log)
	if err := errors.Join(checkNATS(c.NATS), c.complete(log), err); err != nil {
		return err
	}
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
	encrypted, err := c.tlsFlags.config(log)
	if err != nil {
		return err
	}
	l, err := c.listen(c.Listen)
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
	n, err := node.Start(ctx, node.Config{
		Roles: node.Roles{Ingest: has("ingest"), Sink: has("sink"), API: has("api")},
		Connect: func(o ...nats.Option) (*nats.Conn, error) {
			return nats.Connect(c.NATS, append(o, natsOptions...)...)
		},
		Servers: c.NATS, DSN: c.ClickHouse, SpoolDir: filepath.Join(c.Data, "spool"), SyncSpool: c.sync(),
		Streams: jetstream.Config{Replicas: c.Replicas, MaxBytes: c.MaxBytes, Durability: c.setting()},
		Version: version, Log: log, Thresholds: c.settings(), Redact: rules, AuditRetention: retention, Rates: c.rates(), JSONDepth: c.MaxJSONDepth,
	})
	if err != nil {
		return err
	}
	guards, err := c.open(ctx, n, c.Data, log)
	if err != nil {
		return errors.Join(err, closeNode(ctx, n))
	}
	c.warnPlain(l, strings.HasPrefix(c.PublicURL, "https://"), log)
	s := server.New(server.Options{
		TLS: encrypted, Guards: guards, Proxies: proxies, Hosts: c.hosts(), Origins: c.AllowOrigin, Node: n, Listener: l, Erase: erasures, Log: log, Limits: c.limits(), Gates: c.gates(), Headers: c.headers(), Slow: c.slow(), Query: c.queryLimits(), Readers: c.budget(), QuietAfter: c.QuietAfter, Pprof: c.Pprof,
	})
	log.Info("serving", "url", s.URL(), "roles", c.Role)
	return s.Run(ctx, &server.StopClock{}, nil)
}
