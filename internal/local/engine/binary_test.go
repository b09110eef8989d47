package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tapedeck/internal/bounded"
)

// serverCommand makes the test binary stand in for "clickhouse server", which
// is not on every machine: it takes the same arguments and the same
// configuration, and runs the library with them.
const serverCommand = "engine-server"

var hashPattern = regexp.MustCompile(`<password_sha256_hex>([0-9a-f]{64})<`)

func serverMain(args []string) int {
	if err := serve(args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func serve(args []string) error {
	if len(args) != 3 || args[0] != "server" || args[1] != "--config-file" {
		return fmt.Errorf("unexpected arguments %q", args)
	}
	dir := filepath.Dir(args[2])
	config, err := os.ReadFile(args[2])
	if err != nil {
		return err
	}
	users, err := os.ReadFile(filepath.Join(dir, usersFile))
	if err != nil {
		return err
	}
	if strings.Contains(string(users), "<password>") {
		return errors.New("a server must have no user without a password")
	}
	// The library does need one: it gets a configuration of its own.
	own := filepath.Join(dir, "stand-in")
	if err := os.MkdirAll(own, 0o700); err != nil {
		return err
	}
	s := settings{Dir: own, Host: loopback, Library: true, User: User,
		PasswordHash: hashPattern.FindStringSubmatch(string(users))[1],
		QueryMemory:  1 << 30, SpillMemory: 1 << 28}
	if err := s.write(); err != nil {
		return err
	}
	text := strings.ReplaceAll(string(config), filepath.Join(dir, usersFile), filepath.Join(own, usersFile))
	if err := os.WriteFile(filepath.Join(own, configFile), []byte(text), 0o600); err != nil {
		return err
	}
	program, err := Find(context.Background())
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "server.pid"), []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		return err
	}
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	stop := make(chan struct{})
	go func() {
		<-term
		close(stop)
	}()
	if code := runLibrary(childArgs{program: program, dir: own}, stop); code != 0 {
		return fmt.Errorf("exit code %d", code)
	}
	return nil
}

// standIn puts a "clickhouse" in a directory of its own.
func standIn(t *testing.T) Program {
	t.Helper()
	needEngine(t)
	program, err := Find(t.Context())
	must(t, err)
	if program.Library == "" {
		t.Skip("a real clickhouse binary is what runs here; the other tests use it")
	}
	self, err := filepath.Abs(os.Args[0])
	must(t, err)
	path := filepath.Join(t.TempDir(), "clickhouse")
	script(t, path, fmt.Sprintf("export %s='%s'\nexec '%s' %s \"$@\"\n", LibraryEnv, program.Library, self, serverCommand))
	return Program{Binary: path}
}

func serverPID(t *testing.T, s *Server) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.opts.Dir, "server.pid"))
	must(t, err)
	pid, err := strconv.Atoi(string(text))
	must(t, err)
	return pid
}

func TestBinary(t *testing.T) {
	s := start(t, Options{Program: standIn(t)})
	c := connect(t, s.DSN())
	must(t, c.Exec(t.Context(), "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a"))
	must(t, c.Exec(t.Context(), "INSERT INTO t SELECT 1"))
	first := serverPID(t, s)
	if first == s.Health().PID {
		t.Fatal("the server is the child itself; nobody watches over it")
	}

	// The server ends: its keeper ends too, and both are started again.
	must(t, syscall.Kill(first, syscall.SIGKILL))
	bounded.Until(t, "a new server", func() bool { return s.Health().State == Running && serverPID(t, s) != first })
	if n := count(t, c, "t"); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}

	// The keeper is killed: the server goes with it.
	second := serverPID(t, s)
	must(t, syscall.Kill(s.Health().PID, syscall.SIGKILL))
	bounded.Until(t, "the end of the server", func() bool { return gone(second) })
	bounded.Until(t, "a new server", func() bool { return s.Health().State == Running && serverPID(t, s) != second })

	third := serverPID(t, s)
	begin := time.Now()
	must(t, s.Stop(t.Context()))
	t.Logf("stopped in %v", time.Since(begin).Round(time.Millisecond))
	if !gone(third) {
		t.Error("the server is still there after Stop")
	}
}

func TestBinaryThatIsNone(t *testing.T) {
	path, err := exec.LookPath("false")
	must(t, err)
	_, err = Start(t.Context(), Options{Dir: t.TempDir(), Program: Program{Binary: path}})
	if err == nil || !strings.Contains(err.Error(), "exit status 1") {
		t.Fatalf("start of %s: %v", path, err)
	}
}
