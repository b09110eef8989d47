package erasure_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/app/lifecycle/erasure"
	"tapedeck/internal/app/node"
	"tapedeck/internal/app/server"
	"tapedeck/internal/bounded"
	"tapedeck/internal/budget"
	"tapedeck/internal/failpoint"
	"tapedeck/internal/local"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/tables"
)

// serverCommand makes the test binary a server in local mode on a data directory. It kills
// itself and its ClickHouse at the step of erasures that the file DIRECTORY.kill names, and waits
// at the one in DIRECTORY.hold, which it then writes to DIRECTORY.held, with how many wait there.
const serverCommand = "erasure-server"

// addresses are what a server writes for the test.
type addresses struct{ URL, NATS, DSN string }

func serverMain(args []string) int {
	if err := serve(args[0]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func serve(dir string) error {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = syscall.Kill(0, syscall.SIGKILL)
	}()
	ctx, log := context.Background(), slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	servers, err := local.Start(ctx, local.Options{Dir: dir, ListenNATS: "127.0.0.1:0", Logger: log})
	if err != nil {
		return err
	}
	if err := prepare(ctx, servers.ClickHouseDSN()); err != nil {
		return err
	}
	n, err := node.Start(ctx, node.Config{
		Roles: node.Roles{Ingest: true, Sink: true, API: true}, Connect: servers.ConnectNATS, DSN: servers.ClickHouseDSN(),
		SpoolDir: filepath.Join(dir, "spool"), Streams: jetstream.Config{MaxBytes: 1 << 28}, Version: "test", Log: log,
	})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := server.New(server.Options{
		Node: n, Listener: l, Log: log, QuietAfter: time.Minute, Readers: budget.New(budget.Options{Bytes: 1 << 30, Readers: 2000}),
		Erase: erasure.Options{Grace: time.Second, Sync: time.Second, Every: 100 * time.Millisecond, Within: time.Millisecond},
	})
	text, err := json.Marshal(addresses{s.URL(), servers.NATSURL(), servers.ClickHouseDSN()})
	if err != nil {
		return err
	}
	if err := os.WriteFile(dir+".tmp", text, 0o600); err != nil {
		return err
	}
	if err := os.Rename(dir+".tmp", dir+".addresses"); err != nil {
		return err
	}
	return s.Run(failpoint.With(ctx, killOrHold(dir)), &server.StopClock{}, nil)
}

// killOrHold returns a hook that kills the process group at the step of erasures that the file DIRECTORY.kill
// names, and waits at the step that DIRECTORY.hold names.
func killOrHold(dir string) failpoint.Hook {
	var waiting atomic.Int32 // calls of the hook
	return func(reached string) error {
		reached, ok := strings.CutPrefix(reached, "erasure: ")
		if !ok {
			return nil
		}
		if step, err := os.ReadFile(dir + ".kill"); err == nil && string(step) == reached {
			return syscall.Kill(0, syscall.SIGKILL)
		}
		waiting.Add(1)
		defer waiting.Add(-1)
		for step, err := os.ReadFile(dir + ".hold"); err == nil && string(step) == reached; step, err = os.ReadFile(dir + ".hold") {
			if err := os.WriteFile(dir+".held", fmt.Appendf(nil, "%s %d", step, waiting.Load()), 0o600); err != nil {
				return err
			}
			time.Sleep(20 * time.Millisecond) // between looks at a file of another process
		}
		return nil
	}
}

// prepare makes the tables. ClickHouse keeps replaced files for eight minutes, and here for
// a second.
func prepare(ctx context.Context, dsn string) error {
	db, err := clickhouse.Open(dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := clickhouse.Migrate(ctx, db); err != nil {
		return err
	}
	for _, name := range tables.Names(tables.Recording) {
		for _, statement := range []string{
			"ALTER TABLE " + name + " MODIFY SETTING old_parts_lifetime = 1, cleanup_delay_period = 1, cleanup_delay_period_random_add = 0, max_cleanup_delay_period = 1",
			"DETACH TABLE " + name, "ATTACH TABLE " + name, // the delay that has begun is of the setting before
		} {
			if err := db.Exec(ctx, statement); err != nil {
				return err
			}
		}
	}
	return nil
}

// process is a server that runs.
type process struct {
	addresses
	cmd  *exec.Cmd
	done chan error
}

// start starts a server on a data directory. It ends with the test.
func start(t *testing.T, dir string) *process {
	t.Helper()
	_ = os.Remove(dir + ".addresses")
	_ = os.Remove(dir + ".kill")
	p := &process{cmd: exec.Command(os.Args[0], serverCommand, dir), done: make(chan error, 1)}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	alive, err := p.cmd.StdinPipe() // its end ends the server, also if the test is killed
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { alive.Close() })
	p.cmd.Stderr = os.Stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.done <- p.cmd.Wait() }()
	t.Cleanup(p.kill)
	bounded.Until(t, "the server is ready", func() bool {
		select {
		case err := <-p.done:
			p.done <- err
			t.Fatalf("the server ended: %v", err)
		default:
		}
		text, err := os.ReadFile(dir + ".addresses")
		if err != nil {
			return false
		}
		if err := json.Unmarshal(text, &p.addresses); err != nil {
			t.Fatal(err)
		}
		return true
	})
	return p
}

// kill kills the server and its ClickHouse.
func (p *process) kill() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	err := <-p.done
	p.done <- err
}

// killed waits until the server has killed itself.
func (p *process) killed(t *testing.T, step string) {
	t.Helper()
	err := bounded.Receive(t, p.done)
	p.done <- err
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		t.Fatalf("the server ended with %v at %q, want a kill", err, step)
	}
	if status, is := exit.Sys().(syscall.WaitStatus); !is || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the server ended with %v at %q, want a kill", err, step)
	}
}
