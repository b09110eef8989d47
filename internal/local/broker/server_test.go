package broker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/speedtest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func start(t *testing.T, opts Options) *Server {
	t.Helper()
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	begin := time.Now()
	s, err := Start(opts)
	must(t, err)
	t.Logf("started in %v", time.Since(begin).Round(time.Millisecond))
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func connect(t *testing.T, s *Server) (*nats.Conn, jetstream.JetStream) {
	t.Helper()
	connection, err := s.Connect()
	must(t, err)
	t.Cleanup(connection.Close)
	js, err := jetstream.New(connection)
	must(t, err)
	return connection, js
}

var frames = jetstream.StreamConfig{Name: "FRAMES", Subjects: []string{"frames.>"}, MaxBytes: 1 << 30}

func TestMessagesOutliveTheServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nats")
	const n = 500
	for round := range 3 {
		s := start(t, Options{Dir: dir})
		connection, js := connect(t, s)
		stream, err := js.CreateOrUpdateStream(t.Context(), frames)
		must(t, err)
		info, err := stream.Info(t.Context())
		must(t, err)
		if want := uint64(round * n); info.State.Msgs != want || info.State.LastSeq != want {
			t.Errorf("round %d: %d messages, last %d, want %d", round, info.State.Msgs, info.State.LastSeq, want)
		}
		for i := range n {
			_, err := js.Publish(t.Context(), "frames.x", fmt.Append(nil, round, i))
			must(t, err)
		}
		if h := s.Health(); !h.Running || h.Connected != 1 || h.Stored == 0 || h.MaxStore == 0 || h.DiskFree == 0 || h.URL != "" {
			t.Errorf("health: %+v", h)
		}
		connection.Close()
		must(t, s.Stop(t.Context()))
		if s.Health().Running {
			t.Error("a stopped server says that it runs")
		}
	}
}

func TestNoSocketUnlessAsked(t *testing.T) {
	s := start(t, Options{})
	if s.server.Addr() != nil || s.URL() != "" {
		t.Errorf("it listens on %v, %q", s.server.Addr(), s.URL())
	}
	connection, _ := connect(t, s)
	must(t, connection.Flush())
}

func TestListenNeedsTheToken(t *testing.T) {
	s := start(t, Options{Listen: "127.0.0.1:0"})
	address := s.server.Addr().String()
	if host, _, _ := net.SplitHostPort(address); host != "127.0.0.1" {
		t.Errorf("it listens on %s", address)
	}
	other, err := nats.Connect(s.URL())
	must(t, err)
	defer other.Close()
	must(t, other.Flush())
	for _, url := range []string{"nats://" + address, "nats://wrong@" + address} {
		if intruder, err := nats.Connect(url); !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("%s: %v", url, err)
			intruder.Close()
		}
	}
	if s.Health().URL != "nats://"+address {
		t.Errorf("health shows %q", s.Health().URL)
	}
	connection, _ := connect(t, s)
	must(t, connection.Flush())
}

func TestLargestMessage(t *testing.T) {
	s := start(t, Options{})
	connection, js := connect(t, s)
	_, err := js.CreateStream(t.Context(), frames)
	must(t, err)
	_, err = js.Publish(t.Context(), "frames.x", make([]byte, MaxPayload))
	must(t, err)
	if err := connection.Publish("frames.x", make([]byte, MaxPayload+1)); !errors.Is(err, nats.ErrMaxPayload) {
		t.Errorf("a message too large: %v", err)
	}
}

func TestLimitsAndSyncReachTheServer(t *testing.T) {
	s := start(t, Options{MaxStore: 1 << 20, SyncAlways: true})
	report, err := s.server.Jsz(nil)
	must(t, err)
	if !report.Config.SyncAlways || report.Config.MaxStore != 1<<20 || report.Config.MaxMemory != maxMemory {
		t.Errorf("configured: %+v", report.Config)
	}
	_, js := connect(t, s)
	if _, err := js.CreateStream(t.Context(), frames); err == nil || !strings.Contains(err.Error(), "insufficient storage") {
		t.Errorf("a stream larger than all: %v", err)
	}
	relaxed := start(t, Options{SyncInterval: 7 * time.Second})
	if report, err = relaxed.server.Jsz(nil); err != nil || report.Config.SyncAlways || report.Config.SyncInterval != 7*time.Second {
		t.Errorf("configured: %+v, %v", report.Config, err)
	}
}

func TestStartErrors(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for _, c := range []struct {
		name string
		opts Options
		says string
	}{
		{"a port that is taken", Options{Listen: taken.Addr().String()}, "address already in use"},
		{"not an address", Options{Listen: "here"}, "missing port"},
		{"not a port", Options{Listen: "127.0.0.1:http"}, "not a port number"},
		{"not a directory", Options{Dir: file}, "not a directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.opts.Dir == "" {
				c.opts.Dir = t.TempDir()
			}
			begin := time.Now()
			s, err := Start(c.opts)
			if err == nil {
				must(t, s.Stop(t.Context()))
				t.Fatal("it started")
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q", err, c.says)
			}
			speedtest.Within(t, "the error", time.Since(begin), 5*time.Second)
		})
	}
}
