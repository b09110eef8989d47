// Package systemd reports the state of the process to the service manager that started it, and
// takes over sockets that the manager has opened. Without a service manager it does nothing.
package systemd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// Environment variables of the protocols: sd_notify(3), sd_watchdog_enabled(3).
const (
	notifyEnv   = "NOTIFY_SOCKET"
	watchdogEnv = "WATCHDOG_USEC"
)

// Manager is the service manager. It is nil for a process without one.
type Manager struct {
	address  *net.UnixAddr
	watchdog time.Duration // 0 if the manager has no watchdog
	log      *slog.Logger
}

// Find returns the manager that the environment names, nil if there is none. It removes the
// variables, so that child processes do not report instead of this one.
func Find(log *slog.Logger) (*Manager, error) {
	path, interval := os.Getenv(notifyEnv), os.Getenv(watchdogEnv)
	watchdog, badWatchdog := daemon.SdWatchdogEnabled(true)
	if err := os.Unsetenv(notifyEnv); err != nil {
		return nil, fmt.Errorf("remove %s from the environment: %w", notifyEnv, err)
	}
	if path == "" {
		return nil, nil
	}
	if !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "@") {
		return nil, fmt.Errorf("%s=%s: it must be the path of a socket, or @ and the name of an abstract one",
			notifyEnv, path)
	}
	if badWatchdog != nil {
		return nil, fmt.Errorf("%s=%s: it must be a number of microseconds above 0: %w", watchdogEnv, interval,
			badWatchdog)
	}
	return &Manager{address: &net.UnixAddr{Name: path, Net: "unixgram"}, watchdog: watchdog, log: log}, nil
}

// Ready reports that the process answers requests.
func (m *Manager) Ready(status string) { m.send(daemon.SdNotifyReady, "STATUS="+status) }

// Status reports what the process is doing, in one line.
func (m *Manager) Status(status string) { m.send("STATUS=" + status) }

// startLonger is the time that each report of Starting adds to the start timeout.
const startLonger = time.Minute

// Starting reports what the process does before it is ready, in one line. It extends the start
// timeout: a long migration reports repeatedly.
func (m *Manager) Starting(status string) {
	m.send("STATUS="+status, fmt.Sprintf("EXTEND_TIMEOUT_USEC=%d", startLonger.Microseconds()))
}

// Reloading reports that settings are read again; Ready follows.
func (m *Manager) Reloading() { m.send(daemon.SdNotifyReloading, "STATUS=reading settings again") }

// Stopping reports that the process is ending.
func (m *Manager) Stopping() { m.send(daemon.SdNotifyStopping, "STATUS=stopping") }

// Watch reports until ctx ends that the process is alive, twice in each watchdog interval. If alive
// returns an error, Watch does not report: the manager restarts a process that has not reported for
// a whole interval.
func (m *Manager) Watch(ctx context.Context, alive func(context.Context) error) {
	if m == nil || m.watchdog == 0 {
		return
	}
	tick := time.NewTicker(m.watchdog / 2)
	defer tick.Stop()
	for {
		if err := m.check(ctx, alive); err == nil {
			m.send(daemon.SdNotifyWatchdog)
		} else if ctx.Err() == nil {
			m.log.Error("systemd: the server does not answer; the service manager will restart it", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// check calls alive with a timeout of a quarter of the interval.
func (m *Manager) check(ctx context.Context, alive func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, m.watchdog/4)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- alive(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// send sends one message. If that fails, it logs a warning, since the process works without a
// manager. It does not use daemon.SdNotify, which needs NOTIFY_SOCKET in the environment, where
// child processes would find it.
func (m *Manager) send(lines ...string) {
	if m == nil {
		return
	}
	conn, err := net.DialUnix("unixgram", nil, m.address)
	if err == nil {
		_, err = conn.Write([]byte(strings.Join(lines, "\n")))
		err = errors.Join(err, conn.Close())
	}
	if err != nil {
		m.log.Warn("systemd: a report could not be sent", "socket", m.address.Name, "report", lines[0], "error", err)
	}
}
