package clients

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/programtest"
	"tapedeck/internal/speedtest"
)

// announced is the description that the command prints with --json.
type announced struct {
	URL     string `json:"url"`
	Address string `json:"address"`
	Session string `json:"session"`
	PID     int    `json:"pid"`
}

// emulate runs the command on a file until the test ends, by closing its
// standard input. It has to exit with 0.
func emulate(t *testing.T, protocol, path string, flags ...string) announced {
	t.Helper()
	cmd := exec.Command(programtest.Path(t), append([]string{
		"emulate", "--json", "--speed", "max", "--listen", "127.0.0.1:0", "--exit-with", "stdin", protocol, path,
	}, flags...)...)
	stdin, err := cmd.StdinPipe()
	check(t, err)
	stdout, err := cmd.StdoutPipe()
	check(t, err)
	var diag bytes.Buffer
	cmd.Stderr = &diag
	check(t, cmd.Start())
	t.Cleanup(func() {
		_ = stdin.Close()
		if err := bounded.Command(t, cmd); err != nil {
			t.Errorf("emulate %s: %v\n%s", protocol, err, diag.Bytes())
		}
	})
	return announcement(t, cmd, stdout, &diag)
}

func announcement(t *testing.T, cmd *exec.Cmd, stdout io.Reader, diag *bytes.Buffer) (a announced) {
	t.Helper()
	line := bounded.Line(t, cmd, bufio.NewReader(stdout))
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		t.Fatalf("emulate said %q: %v\n%s", line, err, diag)
	}
	return a
}

// capture writes a captured stream to a file.
func capture(t *testing.T, name string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), filepath.Base(name))
	check(t, os.WriteFile(path, dialecttest.Fixture(t, name), 0o600))
	return path
}

// The command answers soon after it is started, with no server of any kind, and
// exits with 0 on SIGTERM.
func TestStartAndExit(t *testing.T) {
	path := capture(t, "openai_chat/openai_chat_stream.sse")
	name := programtest.Path(t)
	for how, stop := range map[string]func(cmd *exec.Cmd, stdin io.Closer) error{
		"SIGTERM":                func(cmd *exec.Cmd, _ io.Closer) error { return cmd.Process.Signal(syscall.SIGTERM) },
		"SIGINT":                 func(cmd *exec.Cmd, _ io.Closer) error { return cmd.Process.Signal(os.Interrupt) },
		"closing standard input": func(_ *exec.Cmd, stdin io.Closer) error { return stdin.Close() },
	} {
		began := time.Now()
		cmd := exec.Command(name, "emulate", "http", path, "--json", "--listen", "127.0.0.1:0", "--exit-with", "stdin")
		cmd.Env = append(os.Environ(), "TAPEDECK_SERVER=http://127.0.0.1:1")
		stdin, err := cmd.StdinPipe()
		check(t, err)
		stdout, err := cmd.StdoutPipe()
		check(t, err)
		var diag bytes.Buffer
		cmd.Stderr = &diag
		check(t, cmd.Start())
		a := announcement(t, cmd, stdout, &diag)
		res, err := http.Post(a.URL+"/v1/chat/completions", "application/json", strings.NewReader("{}"))
		check(t, err)
		first, err := bufio.NewReader(res.Body).ReadString('\n')
		took := time.Since(began)
		_ = res.Body.Close()
		if err != nil || !strings.HasPrefix(first, `data: {"id":"chatcmpl-`) {
			t.Errorf("the first line is %q, %v", first, err)
		}
		check(t, stop(cmd, stdin))
		if err := bounded.Command(t, cmd); err != nil {
			t.Errorf("%s: %v", how, err)
		}
		t.Logf("the first line came %v after the start; %v of processor time in all", took, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		if a.PID != cmd.Process.Pid || diag.Len() > 0 {
			t.Errorf("it says it is process %d, and is %d; %s", a.PID, cmd.Process.Pid, diag.Bytes())
		}
		speedtest.Within(t, "the first answer", took, 2*time.Second)
	}
	http.DefaultClient.CloseIdleConnections()
}

// The command ends with the process that started it, if that is asked for.
func TestExitWithParent(t *testing.T) {
	path := capture(t, "openai_chat/openai_chat_stream.sse")
	// The shell starts the command beside itself and waits until it is killed.
	parent := exec.Command("sh", "-c", `"$0" emulate http "$1" --json --listen 127.0.0.1:0 --exit-with parent & read line`, programtest.Path(t), path)
	stdin, err := parent.StdinPipe()
	check(t, err)
	defer stdin.Close()
	read, write, err := os.Pipe() // not the parent's alone: open for as long as the command runs
	check(t, err)
	defer read.Close()
	parent.Stdout, parent.Stderr = write, write
	check(t, parent.Start())
	_ = write.Close()
	said := bufio.NewReader(read)
	if line := bounded.Line(t, parent, said); !strings.Contains(line, `"url"`) {
		t.Fatalf("it said %q", line)
	}
	check(t, parent.Process.Kill())
	_ = bounded.Command(t, parent) // it was killed
	check(t, read.SetReadDeadline(time.Now().Add(20*time.Second)))
	if rest, err := io.ReadAll(said); err != nil || len(rest) > 0 {
		t.Errorf("after its parent had ended it said %q, %v", rest, err)
	}
}
