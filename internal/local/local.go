// Package local implements local mode: NATS JetStream inside the process and a real ClickHouse as a
// child process, with all their state in one data directory. It starts the two servers and provides
// their addresses; the other components connect to them as to any other server.
package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/datadir"
	"tapedeck/internal/local/engine"
)

// RunEngineIfChild must be the first call of main: local mode starts its own executable again as
// ClickHouse's process, and in that process this call does not return. Tests call it through
// localtest.Main.
func RunEngineIfChild() { engine.RunIfChild() }

// Options configures local mode. The zero value is valid.
type Options struct {
	// Dir is the data directory; empty means datadir.Default().
	Dir string
	// ListenNATS is a loopback host:port for NATS clients of other processes;
	// empty means that NATS has no socket.
	ListenNATS string
	// PortClickHouse is the port of ClickHouse's native protocol on 127.0.0.1; 0 selects a free
	// one.
	PortClickHouse int
	// MemoryClickHouse bounds ClickHouse, bytes; 0 means a quarter of the machine's memory, at
	// least 1 GiB and at most 8 GiB.
	MemoryClickHouse uint64
	// MaxStore bounds JetStream's storage, bytes; 0 means half of the file system.
	MaxStore int64
	// Backups is the directory to which backups are written and from which they are restored by
	// name; empty means backups in Dir.
	Backups string
	// SyncAlways makes both servers sync to disk before they acknowledge data. Without it,
	// acknowledged data survives the end of any process, but a loss of power may lose the last part
	// of it.
	SyncAlways bool
	// Logger receives starts, restarts and faults; nil means slog.Default().
	Logger *slog.Logger
}

// Servers are the running servers of local mode.
type Servers struct {
	dir    *datadir.Dir
	broker *broker.Server
	engine *engine.Server

	backups string // directory
}

// Start locks the data directory and starts both servers concurrently. ctx bounds only the start;
// Close ends the servers. After an error no server runs. The error is a *datadir.HeldError if
// another process uses the directory, and wraps engine.ErrNotFound if there is no ClickHouse.
func Start(ctx context.Context, opts Options) (*Servers, error) {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if opts.Dir == "" {
		var err error
		if opts.Dir, err = datadir.Default(); err != nil {
			return nil, err
		}
	}
	dir, err := datadir.Open(opts.Dir)
	if err != nil {
		return nil, err
	}
	s := &Servers{dir: dir}

	brokerErr := make(chan error, 1)
	go func() {
		var err error
		s.broker, err = broker.Start(broker.Options{
			Dir:        dir.Sub("nats"),
			Listen:     opts.ListenNATS,
			MaxStore:   opts.MaxStore,
			SyncAlways: opts.SyncAlways,
			Logger:     opts.Logger,
		})
		brokerErr <- err
	}()
	if opts.Backups == "" {
		opts.Backups = dir.Sub(backupsName)
	}
	s.backups = opts.Backups
	s.engine, err = engine.Start(ctx, engine.Options{
		Backups:     opts.Backups,
		Dir:         dir.Sub("clickhouse"),
		Port:        opts.PortClickHouse,
		MemoryLimit: opts.MemoryClickHouse,
		SyncAlways:  opts.SyncAlways,
		Logger:      opts.Logger,
	})
	if err = errors.Join(err, <-brokerErr); err == nil {
		err = s.announceNATS()
	}
	if err != nil {
		// Return the first error.
		if closeErr := s.Close(context.WithoutCancel(ctx)); closeErr != nil {
			opts.Logger.Error("server: local servers did not end cleanly", "error", closeErr)
		}
		return nil, fmt.Errorf("start local mode in %s: %w", dir.Path(), err)
	}
	return s, nil
}

// ClickHouseDSN returns the address for clickhouse-go, with the password. The password is random
// for each start and does not change when ClickHouse is restarted.
func (s *Servers) ClickHouseDSN() string { return s.engine.DSN() }

// DefaultClickHouseMemory returns the memory limit of ClickHouse if Options.MemoryClickHouse is 0,
// bytes.
func DefaultClickHouseMemory() uint64 { return engine.DefaultMemory() }

// ConnectNATS opens a connection inside the process. It reconnects indefinitely unless options
// override this. The caller closes it before Close.
func (s *Servers) ConnectNATS(options ...nats.Option) (*nats.Conn, error) {
	return s.broker.Connect(options...)
}

// natsFile is the file in the data directory with the address and token for NATS clients of other
// processes. Only the user of the process can read it.
const natsFile = "nats-url"

// announceNATS writes natsFile. If NATS has no socket, it removes the file of an earlier start.
func (s *Servers) announceNATS() error {
	path := s.dir.Sub(natsFile)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if s.NATSURL() == "" {
		return nil
	}
	return os.WriteFile(path, []byte(s.NATSURL()+"\n"), 0o600)
}

// NATSURL returns the address for NATS clients of other processes with the token, or "" if
// Options.ListenNATS is empty.
func (s *Servers) NATSURL() string { return s.broker.URL() }

// Dir returns the data directory's absolute path.
func (s *Servers) Dir() string { return s.dir.Path() }

// backupsName is the directory of backups in a data directory.
const backupsName = "backups"

// DefaultBackups returns the directory of backups in a data directory.
func DefaultBackups(data string) string { return filepath.Join(data, backupsName) }

// Backups returns the directory of backups.
func (s *Servers) Backups() string { return s.backups }

// Announce stores the URL of the HTTP server in the data directory, for other
// commands on this machine (see datadir.Running).
func (s *Servers) Announce(url string) error { return s.dir.Announce(url) }

// Health is the state of both servers.
type Health struct {
	ClickHouse engine.Health `json:"clickhouse"`
	NATS       broker.Health `json:"nats"`
}

// Ready reports whether both servers answer.
func (h Health) Ready() bool {
	return h.ClickHouse.State == engine.Running && h.NATS.Running
}

// Health returns a snapshot for a readiness check or a report. It makes no request to ClickHouse.
func (s *Servers) Health() Health {
	return Health{ClickHouse: s.engine.Health(), NATS: s.broker.Health()}
}

// Metrics returns the servers' metrics for Prometheus.
func (s *Servers) Metrics() prometheus.Collector { return s.engine }

// stopLimit bounds Close; ClickHouse has its own limit within it.
const stopLimit = engine.StopLimit + time.Second

// Close ends both servers and unlocks the data directory. Writers must have ended before:
// unacknowledged data is lost. It takes at most engine.StopLimit, or until ctx ends.
func (s *Servers) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	engineErr := make(chan error, 1)
	go func() {
		if s.engine == nil {
			engineErr <- nil
			return
		}
		engineErr <- s.engine.Stop(ctx)
	}()
	var brokerErr error
	if s.broker != nil {
		brokerErr = s.broker.Stop(ctx)
	}
	// The directory is unlocked last, when no server uses it.
	return errors.Join(<-engineErr, brokerErr, s.dir.Close())
}
