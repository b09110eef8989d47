package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// StopLimit is the longest that [Server.Stop] takes.
const StopLimit = 5 * time.Second

// Options say how to run the engine. Only Dir is needed.
type Options struct {
	// Dir holds everything the engine keeps: data, configuration, log. It is
	// created with mode 0700. One engine at a time; the engine locks it.
	Dir string
	// Program is what to run; the zero value asks [Find].
	Program Program
	// Port of the native protocol on 127.0.0.1; 0 picks a free one.
	Port int
	// MemoryLimit of the whole engine in bytes; 0 takes a quarter of the
	// machine's memory, at least 1 GiB and at most 8 GiB.
	MemoryLimit uint64
	// SyncAlways has every insert written through to the disk before it is
	// answered. Without it an answered insert survives the end of any process,
	// but the last seconds may not survive a loss of power.
	SyncAlways bool
	// StartTimeout bounds the wait for the first answer, which takes long when
	// the tables have very many parts. 0 means 2 minutes.
	StartTimeout time.Duration
	// Ephemeral has the child remove Dir when it is left an orphan. For tests.
	Ephemeral bool
	// Logger for starts, restarts and ends; nil means slog.Default().
	Logger *slog.Logger
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
	done   chan struct{} // closed when the child is gone and supervise has returned

	mu      sync.Mutex // guards what follows
	health  Health
	stopBy  time.Time
	stopErr error
}

// Start runs the engine and returns when it answers queries. From then on an
// engine that ends by itself is started again, on the same port and with the
// same password, until Stop is called. ctx bounds the start alone.
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
		return nil, fmt.Errorf("close ClickHouse's directory to others: %w", err)
	}
	if opts.Program == (Program{}) {
		if opts.Program, err = Find(ctx); err != nil {
			return nil, err
		}
	}

	s := &Server{
		opts:     opts,
		args:     childArgs{program: opts.Program, dir: dir, parent: os.Getpid(), ephemeral: opts.Ephemeral},
		password: rand.Text(),
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

// first starts the engine for the first time. It tries again for a few seconds:
// somebody may take the port between the choice and the use of it, and the
// engine of a predecessor that was killed may still hold the directory.
func (s *Server) first(ctx context.Context) (*process, error) {
	ctx, cancel := context.WithTimeout(ctx, s.opts.StartTimeout)
	defer cancel()
	const attempts = 5
	delay := shortestDelay
	for attempt := 1; ; attempt++ {
		p, err := s.tryPort(ctx)
		if err == nil {
			return p, nil
		}
		if attempt == attempts || errors.Is(err, errCannotLoad) || ctx.Err() != nil {
			return nil, err
		}
		s.log.Debug("ClickHouse did not start; trying again", "attempt", attempt, "error", err)
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(delay):
		}
		delay *= 2
	}
}

// tryPort settles on a port, writes the configuration for it and starts.
func (s *Server) tryPort(ctx context.Context) (*process, error) {
	port := s.opts.Port
	if port == 0 {
		var err error
		if port, err = freePort(); err != nil {
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

// DSN returns the address for clickhouse-go, password included. It stays the same
// over restarts.
func (s *Server) DSN() string { return dsn(s.port, s.password) }

// Stop ends the engine: it is asked first, and killed before StopLimit or the
// deadline of ctx. Either way nothing that was acknowledged is lost. Stopping
// again waits for the first Stop.
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
