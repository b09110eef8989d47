package systemd

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// served has the test binary take over a socket, in place of running tests.
const served = "TAPEDECK_TEST_SOCKET"

func TestMain(m *testing.M) {
	if os.Getenv(served) == "" {
		os.Exit(m.Run())
	}
	l, err := Listener()
	if err != nil || l == nil {
		fmt.Printf("%v", err)
		os.Exit(1)
	}
	conn, err := l.Accept()
	if err == nil {
		_, err = fmt.Fprintf(conn, "%s %s%s%s", l.Addr(), os.Getenv(socketsEnv), os.Getenv(socketsPIDEnv), os.Getenv("LISTEN_FDNAMES"))
		err = errors.Join(err, conn.Close())
	}
	if err != nil {
		fmt.Print(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child runs this binary with sockets passed as a service manager passes them.
func child(t *testing.T, pid, count string, files ...*os.File) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "LISTEN_PID="+pid+" LISTEN_FDS="+count+" LISTEN_FDNAMES=api exec "+self)
	cmd.Env = append(os.Environ(), served+"=1")
	cmd.ExtraFiles = files
	return cmd
}

func file(t *testing.T, l interface{ File() (*os.File, error) }) *os.File {
	t.Helper()
	f, err := l.File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// A client that connects before the process has started is answered by it.
func TestPassedSocket(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if out, err := child(t, "$$", "1", file(t, l.(*net.TCPListener))).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := io.ReadAll(conn)
	if want := l.Addr().String() + " "; err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q: the variables are not left to child processes", got, err, want)
	}
}

func TestRefusedSockets(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	unix, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close()
	plain, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	a, b := file(t, tcp.(*net.TCPListener)), file(t, unix.(*net.UnixListener))
	for _, c := range []struct {
		pid, count string
		files      []*os.File
		want       string
	}{
		{"1", "1", []*os.File{a}, "<nil>"}, // of another process
		{"$$", "0", nil, "<nil>"},
		{"$$", "2", []*os.File{a, a}, "passed 2 sockets and one can be served"},
		{"$$", "many", nil, "LISTEN_FDS=many: it must be a number"},
		{"$$", "1", []*os.File{b}, "ListenStream= in the socket unit must be a port"},
		{"$$", "1", []*os.File{plain}, "take over the socket of the service manager"},
	} {
		out, err := child(t, c.pid, c.count, c.files...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s %s: %v, %s; want %q", c.pid, c.count, err, out, c.want)
		}
	}
}
