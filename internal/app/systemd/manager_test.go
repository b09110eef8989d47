package systemd

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// receive listens as a service manager does, and names the socket in the environment.
func receive(t *testing.T, name string) *net.UnixConn {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	t.Setenv(notifyEnv, name)
	return conn
}

// message returns the next report.
func message(t *testing.T, conn *net.UnixConn) string {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	text := make([]byte, 4096)
	n, err := conn.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(text[:n])
}

func find(t *testing.T) *Manager {
	t.Helper()
	m, err := Find(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The lines are those of sd_notify(3), through a socket with a path and an abstract one.
func TestReports(t *testing.T) {
	for _, name := range []string{filepath.Join(t.TempDir(), "notify"), "@tapedeck-test-" + strconv.Itoa(os.Getpid())} {
		conn := receive(t, name)
		m := find(t)
		for _, c := range []struct {
			report func()
			want   string
		}{
			{func() { m.Ready("serving http://127.0.0.1:4600") }, "READY=1\nSTATUS=serving http://127.0.0.1:4600"},
			{m.Reloading, "RELOADING=1\nSTATUS=reading settings again"},
			{func() { m.Starting("migrating 0019_search 3/6") }, "STATUS=migrating 0019_search 3/6\nEXTEND_TIMEOUT_USEC=60000000"},
			{func() { m.Status("draining") }, "STATUS=draining"},
			{m.Stopping, "STOPPING=1\nSTATUS=stopping"},
		} {
			if c.report(); message(t, conn) != c.want {
				t.Errorf("%s: not %q", name, c.want)
			}
		}
		if left := os.Getenv(notifyEnv); left != "" {
			t.Errorf("%s=%s is left to child processes", notifyEnv, left)
		}
	}
}

// Without a manager, and with one that has ended, a process works.
func TestNoManager(t *testing.T) {
	t.Setenv(notifyEnv, "")
	m := find(t)
	m.Ready("")
	m.Stopping()
	m.Watch(t.Context(), nil) // returns at once
	t.Setenv(notifyEnv, filepath.Join(t.TempDir(), "gone"))
	var log strings.Builder
	m, err := Find(slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	m.Ready("")
	if !strings.Contains(log.String(), "systemd: a report could not be sent") {
		t.Errorf("the log has %q", log.String())
	}
}

func TestRefusedEnvironment(t *testing.T) {
	for _, c := range []struct{ socket, watchdog, want string }{
		{"vsock:2:1", "", "it must be the path of a socket"},
		{"relative", "", "it must be the path of a socket"},
		{"/run/notify", "soon", "a number of microseconds above 0"},
		{"/run/notify", "0", "a number of microseconds above 0"},
		{"/run/notify", "-5", "a number of microseconds above 0"},
	} {
		t.Setenv(notifyEnv, c.socket)
		t.Setenv(watchdogEnv, c.watchdog)
		if _, err := Find(nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: %v", c.socket, c.watchdog, err)
		}
	}
}

// A watchdog that is meant for another process is not fed.
func TestForeignWatchdog(t *testing.T) {
	receive(t, filepath.Join(t.TempDir(), "notify"))
	t.Setenv(watchdogEnv, "1000000")
	t.Setenv("WATCHDOG_PID", "1")
	if m := find(t); m.watchdog != 0 {
		t.Errorf("%v", m.watchdog)
	}
}

// The watchdog receives reports while the process answers, and none while it fails or hangs.
func TestWatchdog(t *testing.T) {
	conn := receive(t, filepath.Join(t.TempDir(), "notify"))
	t.Setenv(watchdogEnv, "10000") // 10 ms
	m := find(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		m.Watch(ctx, func(context.Context) error { return nil })
	}()
	for range 3 {
		if got := message(t, conn); got != "WATCHDOG=1" {
			t.Errorf("%q", got)
		}
	}
	cancel()
	<-ended
}

func TestWatchdogOfAHungProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The socket is not there: a report would be in the log.
		var log strings.Builder
		m := &Manager{address: &net.UnixAddr{Name: "/nowhere", Net: "unixgram"}, watchdog: time.Minute, log: slog.New(slog.NewTextHandler(&log, nil))}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var asked atomic.Int64 // a check that hangs may still run when the next one begins
		m.Watch(ctx, func(ctx context.Context) error {
			if asked.Add(1)%2 == 0 {
				return errors.New("/healthz answers 500")
			}
			<-ctx.Done()
			return ctx.Err()
		})
		if n := asked.Load(); n < 19 || n > 21 {
			t.Errorf("asked %d times in ten intervals, want 20", n)
		}
		if strings.Contains(log.String(), "a report could not be sent") || !strings.Contains(log.String(), "the service manager will restart it") {
			t.Errorf("the log has %s", log.String())
		}
	})
}
