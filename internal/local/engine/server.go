package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"tapedeck/internal/backoff"
)

// StopLimit bounds [Server.Stop].
const StopLimit = 5 * time.Second

// Options configures the engine. Only Dir is required.
type Options struct {
	// Dir holds the engine's data, configuration and log. It is created with mode 0700. The engine
	// locks it for one engine at a time.
	Dir string
	// Program is the program to run; the zero value means the result of [Find].
	Program Program
	// Port is the port of the native protocol on 127.0.0.1; 0 selects a free one.
	Port int
	// MemoryLimit bounds the whole engine, bytes; 0 means a quarter of the machine's memory, at
	// least 1 GiB and at most 8 GiB.
	MemoryLimit uint64
	// SyncAlways syncs every insert to disk before it is acknowledged. Without it an acknowledged
	// insert survives the end of any process, but a loss of power may lose the last seconds.
	SyncAlways bool
	// StartTimeout bounds the wait for the first answer, which takes long if the tables have very
	// many parts. 0 means 2 minutes.
	StartTimeout time.Duration
	// Backups is the directory that BACKUP and RESTORE may use under the name File; it is created
	// with mode 0700. If it is empty, they are not allowed.
	Backups string
	// Cluster makes the engine a shard of a cluster of engines on this machine. For tests.
	Cluster Cluster
	// Cold gives the engine a storage policy with a volume on S3. For tests.
	Cold Cold
	// Ephemeral makes the child remove Dir if it is orphaned. For tests.
	Ephemeral bool
	// Logger receives starts, restarts and ends; nil means slog.Default().
	Logger *slog.Logger
}

// Cluster is a cluster of engines on this machine, each of which is a shard or a replica of one. The
// cluster of its name with _first at the end has the first shard alone.
type Cluster struct {
	Name   string
	Secret string // the password on all members, which they also show one another
	Ports  []int  // of all members, by shards; the engine's own is Options.Port
	// Replicas is the number of members of each shard; 0 means 1. Replicas of this engine do not send
	// rows to one another: their tables are created and can only be read.
	Replicas int
	Keeper   int // port of a ZooKeeper on this machine; 0 if there is none
}

// Shards returns the ports of the members of each shard.
func (c Cluster) Shards() [][]int { return slices.Collect(slices.Chunk(c.Ports, max(c.Replicas, 1))) }

// macros returns the macros of the member with a port: the numbers of its shard and its replica.
func (c Cluster) macros(port int) (shard, replica int) {
	for i, ports := range c.Shards() {
		if j := slices.Index(ports, port); j >= 0 {
			return i + 1, j + 1
		}
	}
	return 0, 0
}

// Cold is a storage policy with two volumes: "hot" on the engine's directory and "cold" on S3.
type Cold struct {
	Policy   string // name of the policy
	Endpoint string // URL of the bucket and a prefix in it, with a slash at the end
	KeyID    string
	Secret   string
}

// Server is a running engine. Its methods may be called from any goroutine.
type Server struct {
	opts     Options
	args     childArgs
	port     int
	password string
	log      *slog.Logger

	life   context.Context // ends when Stop is called
	cancel context.CancelFunc
	done   chan struct{} // closed when the child has ended and supervise has returned

	mu      sync.Mutex // guards the fields below
	health  Health
	stopBy  time.Time
	stopErr error
}

// Start starts the engine and returns when it answers queries. Until Stop is called, an engine that
// ends unexpectedly is restarted on the same port and with the same password. ctx bounds only the
// start.
func Start(ctx context.Context, opts Options) (*Server, error) {
	if !hooked.Load() {
		return nil, errors.New("engine.Start: main, or TestMain, must call engine.RunIfChild first of all")
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if opts.StartTimeout == 0 {
		opts.StartTimeout = 2 * time.Minute
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("ClickHouse's directory %s: %w", opts.Dir, err)
	}
	opts.Dir = dir
	if err := os.MkdirAll(filepath.Join(dir, "tmp"), 0o700); err != nil {
		return nil, fmt.Errorf("ClickHouse's directory: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return nil, fmt.Errorf("restrict access to ClickHouse's directory: %w", err)
	}
	if opts.Backups != "" {
		if opts.Backups, err = filepath.Abs(opts.Backups); err != nil {
			return nil, fmt.Errorf("directory of backups %s: %w", opts.Backups, err)
		}
		if err := os.MkdirAll(opts.Backups, 0o700); err != nil {
			return nil, fmt.Errorf("directory of backups: %w", err)
		}
	}
	if opts.Program == (Program{}) {
		if opts.Program, err = Find(ctx); err != nil {
			return nil, err
		}
	}

	if opts.Program.Library != "" {
		go readAhead(opts.Program.Library) // ends within seconds
	}
	s := &Server{
		opts:     opts,
		args:     childArgs{program: opts.Program, dir: dir, parent: os.Getpid(), ephemeral: opts.Ephemeral},
		password: cmp.Or(opts.Cluster.Secret, rand.Text()),
		log:      opts.Logger,
		done:     make(chan struct{}),
	}
	s.life, s.cancel = context.WithCancel(context.Background())
	s.health = Health{
		State:   Starting,
		Since:   time.Now(),
		Program: opts.Program.String(),
		Log:     filepath.Join(dir, logFile),
	}
	p, err := s.first(ctx)
	if err != nil {
		s.cancel()
		return nil, fmt.Errorf("ClickHouse (%s) did not start: %w; its log is %s", opts.Program, err, s.health.Log)
	}
	go s.supervise(p)
	return s, nil
}

// first starts the engine for the first time. It retries for a few seconds: another process may
// take the port between its selection and its use, and the engine of a killed predecessor may still
// hold the directory.
func (s *Server) first(ctx context.Context) (*process, error) {
	ctx, cancel := context.WithTimeout(ctx, s.opts.StartTimeout)
	defer cancel()
	const attempts = 5
	delays := newDelays()
	for attempt := 1; ; attempt++ {
		p, err := s.tryPort(ctx)
		if err == nil {
			return p, nil
		}
		if attempt == attempts || errors.Is(err, errCannotLoad) || ctx.Err() != nil {
			return nil, err
		}
		s.log.Debug("engine: ClickHouse did not start, retrying", "attempt", attempt, "error", err)
		if !backoff.Sleep(ctx, delays.Next()) {
			return nil, err
		}
	}
}

// tryPort selects a port, writes the configuration for it and starts the engine.
func (s *Server) tryPort(ctx context.Context) (*process, error) {
	port := s.opts.Port
	if port == 0 {
		var err error
		if port, err = FreePort(); err != nil {
			return nil, err
		}
	}
	s.port = port
	s.note(func(h *Health) { h.Address = net.JoinHostPort(loopback, strconv.Itoa(port)) })
	if err := newSettings(s.opts, s.opts.Program, port, s.password).write(); err != nil {
		return nil, err
	}
	return s.launch(ctx)
}

// DSN returns the address for clickhouse-go, including the password. It does not change when the
// engine is restarted.
func (s *Server) DSN() string { return dsn(s.port, s.password) }

// Stop ends the engine: it requests a shutdown, and kills the engine before StopLimit or the
// deadline of ctx. No acknowledged data is lost in either case. A second Stop waits for the first.
func (s *Server) Stop(ctx context.Context) error {
	by := time.Now().Add(StopLimit)
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(by) {
		by = deadline
	}
	s.mu.Lock()
	if s.stopBy.IsZero() {
		s.stopBy = by
	}
	s.mu.Unlock()
	s.cancel()
	<-s.done
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopErr
}
