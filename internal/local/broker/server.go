package broker

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

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

const (
	// MaxPayload is the maximum size of a message, bytes: a block with one frame of the maximum
	// size (16 MiB by default) that does not compress, plus its header and facts.
	MaxPayload = 20 << 20

	// maxMemory bounds streams with memory storage, bytes. The stream of leases needs only a few
	// KiB.
	maxMemory = 256 << 20

	readyLimit = 30 * time.Second
)

// Options configures the broker. Only Dir is required.
type Options struct {
	// Dir holds the streams. It is created with mode 0700. Two brokers must not share it. The
	// broker does not check this; the lock of the data directory ensures it.
	Dir string
	// Listen is a host:port on which clients of other processes may connect with the token in URL;
	// port 0 selects a free one. If it is empty, the broker opens no socket, and only this process
	// can connect.
	Listen string
	// Token authenticates clients of other processes; empty means a random token.
	Token string
	// MaxStore bounds all streams together, bytes; 0 means half of the file system. Creating a
	// stream with a larger MaxBytes fails, and a message beyond the bound is answered with
	// "insufficient resources".
	MaxStore int64
	// SyncAlways enables an fsync before each acknowledgement. SyncInterval is the interval between
	// fsyncs otherwise (0: 2 minutes); see the package comment.
	SyncAlways   bool
	SyncInterval time.Duration
	// Logger receives the server's messages; nil means slog.Default().
	Logger *slog.Logger
}

// Server is a running broker. Its methods may be called from any goroutine.
type Server struct {
	server *server.Server
	token  string
	log    *logger
	since  time.Time
	dir    string
	quit   chan struct{} // closed when the broker ends
	ended  sync.Once
	healer sync.WaitGroup
}

// Start starts the broker. It returns when the streams are loaded and the broker accepts
// connections.
func Start(opts Options) (*Server, error) {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("NATS's directory %s: %w", opts.Dir, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("NATS's directory: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return nil, fmt.Errorf("restrict access to NATS's directory: %w", err)
	}
	if opts.MaxStore == 0 {
		if opts.MaxStore, err = storeShare(dir); err != nil {
			return nil, err
		}
	}
	settings := &server.Options{
		ServerName:             "tapedeck-local",
		DontListen:             opts.Listen == "",
		NoSigs:                 true, // the program handles signals
		JetStream:              true,
		StoreDir:               dir,
		JetStreamMaxMemory:     maxMemory,
		JetStreamMaxStore:      opts.MaxStore,
		MaxPayload:             MaxPayload,
		SyncAlways:             opts.SyncAlways,
		SyncInterval:           opts.SyncInterval,
		DisableJetStreamBanner: true,
	}
	s := &Server{log: &logger{log: opts.Logger}, dir: dir, since: time.Now(), quit: make(chan struct{})}
	if opts.Listen != "" {
		if settings.Host, settings.Port, err = splitAddress(opts.Listen); err != nil {
			return nil, err
		}
		if s.token = opts.Token; s.token == "" {
			s.token = rand.Text()
		}
		settings.Authorization = s.token
	}
	if s.server, err = server.NewServer(settings); err != nil {
		return nil, fmt.Errorf("set up NATS: %w", err)
	}
	s.server.SetLoggerV2(s.log, false, false, false)
	// Start returns after loading the streams. It reports a failure only as a
	// fatal log message.
	s.server.Start()
	if err := s.log.fatal(); err != nil {
		s.stop()
		return nil, fmt.Errorf("start NATS in %s: %w", dir, err)
	}
	if !s.server.ReadyForConnections(readyLimit) {
		s.stop()
		return nil, fmt.Errorf("NATS in %s accepted no connections for %v", dir, readyLimit)
	}
	s.healer.Go(func() { s.heal(s.quit) })
	return s, nil
}

// splitAddress parses host:port. Port 0 becomes the value that means any port to NATS.
func splitAddress(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, fmt.Errorf("address for NATS: %w", err)
	}
	if port, err = strconv.Atoi(text); err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("address for NATS %s: %q is not a port number", address, text)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// Connect opens a connection inside the process, which needs no socket. The connection reconnects
// indefinitely unless options override this. The caller closes it.
func (s *Server) Connect(options ...nats.Option) (*nats.Conn, error) {
	all := []nats.Option{
		nats.InProcessServer(s.server),
		nats.MaxReconnects(-1),
		nats.Token(s.token),
	}
	connection, err := nats.Connect(nats.DefaultURL, append(all, options...)...)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS in this process: %w", err)
	}
	return connection, nil
}

// URL returns the address for clients of other processes with the token, or "" if Options.Listen is
// empty.
func (s *Server) URL() string {
	address, ok := s.server.Addr().(*net.TCPAddr)
	if !ok {
		return ""
	}
	return "nats://" + s.token + "@" + address.String()
}

// Stop ends the broker after all accepted messages are written. It closes all connections; clients
// see them as lost.
func (s *Server) Stop(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.stop()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("NATS is still ending: %w", errors.Join(ctx.Err(), context.Cause(ctx)))
	}
}

func (s *Server) stop() {
	s.ended.Do(func() { close(s.quit) })
	s.healer.Wait()
	s.server.Shutdown()
	s.server.WaitForShutdown()
}
