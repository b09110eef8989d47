package process_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/tap/process"
	"tapedeck/internal/bounded"
	"tapedeck/internal/speedtest"
	"tapedeck/schema"
)

// asRecorder has the test's program record the command in its arguments, so
// that a process of its own stands between.
const asRecorder = "TAPEDECK_TEST_RECORD"

func TestMain(m *testing.M) {
	if os.Getenv(asRecorder) != "" {
		rec := ingest.NewRecorder(&ingesttest.Memory{}, ingest.Settings{})
		result, err := process.Record(context.Background(), rec, ingest.StreamOptions{}, process.Options{Command: os.Args[1:]})
		if err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
		}
		os.Exit(result.ExitCode)
	}
	goleak.VerifyTestMain(m)
}

func shell(script string) []string { return []string{"sh", "-c", script} }

func record(t *testing.T, m *ingesttest.Memory, opts process.Options) (process.Result, error) {
	t.Helper()
	rec := ingest.NewRecorder(m, ingest.Settings{BlockFrames: 100})
	return process.Record(t.Context(), rec, ingest.StreamOptions{Session: "s", Dialect: "generic"}, opts)
}

func TestOutputAndExit(t *testing.T) {
	dir := t.TempDir()
	noProgram := filepath.Join(dir, "data")
	if err := os.WriteFile(noProgram, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		command []string
		output  string
		code    int
		reason  string
		fails   bool
	}{
		"lines":           {shell(`printf '{"n":1}\n{"n":2}\n'`), "{\"n\":1}\n{\"n\":2}\n", 0, "eof", false},
		"events":          {shell(`printf ': hi\n\ndata: 1\n\n'`), ": hi\n\ndata: 1\n\n", 0, "eof", false},
		"any bytes":       {shell(`printf '\000\377{}'`), "\x00\xff{}", 0, "eof", false},
		"nothing":         {shell(`true`), "", 0, "", false},
		"fails":           {shell(`echo '{}'; exit 3`), "{}\n", 3, "error: exit status 3", false},
		"ends by signal":  {shell(`echo '{}'; kill -KILL $$`), "{}\n", 137, "error: signal: killed", false},
		"left behind":     {shell(`(sleep 0.2; echo late) & echo now`), "now\nlate\n", 0, "eof", false},
		"not found":       {[]string{filepath.Join(dir, "none")}, "", 127, "", true},
		"not in the path": {[]string{"no-such-command-anywhere"}, "", 127, "", true},
		"no program":      {[]string{noProgram}, "", 126, "", true},
		"none":            {nil, "", 127, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			var m ingesttest.Memory
			var out bytes.Buffer
			result, err := record(t, &m, process.Options{Command: tc.command, Stdout: &out})
			if (err != nil) != tc.fails || result.ExitCode != tc.code {
				t.Fatalf("%+v, %v", result, err)
			}
			if out.String() != tc.output || result.Output != int64(len(tc.output)) || result.Recorded != result.Output {
				t.Errorf("passed on %q, want %q; %+v", out.String(), tc.output, result)
			}
			if tc.output == "" {
				return
			}
			if raw := string(m.Raw(result.StreamID, schema.Receive)); raw != tc.output {
				t.Errorf("recorded %q, want %q", raw, tc.output)
			}
			state, _ := m.State(result.StreamID, "s")
			if state.EndReason != tc.reason || state.Source != strings.Join(tc.command, " ") {
				t.Errorf("state %+v", state)
			}
			if (state.Transport == schema.SSE) != (name == "events") {
				t.Errorf("transport %s", state.Transport)
			}
		})
	}
}

func TestBadOptions(t *testing.T) {
	rec := ingest.NewRecorder(&ingesttest.Memory{}, ingest.Settings{})
	ran := filepath.Join(t.TempDir(), "ran")
	for want, so := range map[string]ingest.StreamOptions{
		"dialect": {Dialect: "klingon"}, "session": {Session: "a\n"}, "tenant": {Tenant: "a.b"},
	} {
		_, err := process.Record(t.Context(), rec, so, process.Options{Command: []string{"touch", ran}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", so, err)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the command was run nevertheless")
	}
}

// stamped notes when each write came, and answers each with a line.
type stamped struct {
	at      []time.Time
	text    []string
	answers io.Writer
}

func (s *stamped) Write(p []byte) (int, error) {
	s.at, s.text = append(s.at, time.Now()), append(s.text, string(p))
	_, err := s.answers.Write([]byte("\n"))
	return len(p), err
}

// TestChunks: what the command prints at a time is passed on and recorded then.
func TestChunks(t *testing.T) {
	in, answers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer answers.Close()
	var m ingesttest.Memory
	out := stamped{answers: answers}
	// The command prints on only when the chunk before was passed on.
	result, err := record(t, &m, process.Options{
		Command: shell(`printf '{"a":'; read x; printf '1}\n{}\n'; read x; printf '{}\n'`), Stdin: in, Stdout: &out,
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{`{"a":`, "1}\n{}\n", "{}\n"}; !slices.Equal(out.text, want) {
		t.Fatalf("passed on %q, want %q", out.text, want)
	}
	frames := m.Frames(result.StreamID)
	arrivals := []int64{frames[0].Cuts[0].At, frames[0].At, frames[2].At}
	for i, at := range out.at {
		if d := at.Sub(time.Unix(0, arrivals[i])); d < -50*time.Millisecond {
			t.Errorf("chunk %d was passed on %v before it was recorded to have come", i, -d)
		} else {
			speedtest.Within(t, "passing a chunk on", d, 150*time.Millisecond)
		}
	}
}

// TestInherited: standard input and standard error are the command's.
func TestInherited(t *testing.T) {
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	from, errs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	if _, err := to.WriteString("{\"in\":1}\n"); err != nil {
		t.Fatal(err)
	}
	to.Close()
	var m ingesttest.Memory
	var out bytes.Buffer
	if _, err := record(t, &m, process.Options{Command: shell("cat; echo trouble >&2"), Stdin: in, Stdout: &out, Stderr: errs}); err != nil {
		t.Fatal(err)
	}
	errs.Close()
	buf := make([]byte, 100)
	n, _ := from.Read(buf)
	if out.String() != "{\"in\":1}\n" || string(buf[:n]) != "trouble\n" {
		t.Errorf("out %q, err %q", out.String(), buf[:n])
	}
}

// TestRecorderInTrouble: the command's output and end are as without us, and
// what is recorded is its beginning, up to a byte that the error names.
func TestRecorderInTrouble(t *testing.T) {
	const lines, line = 20_000, "{\"text\":\"0123456789012345678901234567890123456789\"}\n"
	script := shell(`i=0; while [ $i -lt 20000 ]; do echo '` + strings.TrimSpace(line) + `'; i=$((i+1)); done; exit 5`)
	fault := errors.New("no room anywhere")
	for name, tc := range map[string]struct {
		set  func(*ingesttest.Memory)
		want string
	}{
		"backpressure": {(*ingesttest.Memory).Stall, "could not keep up"},
		"refuses":      {func(m *ingesttest.Memory) { m.Refuse(fault) }, "no room anywhere"},
		"abandons":     {func(m *ingesttest.Memory) { m.Abandon(fault) }, "no room anywhere"},
	} {
		t.Run(name, func(t *testing.T) {
			var m ingesttest.Memory
			tc.set(&m)
			var out countingWriter
			out.after(lines*len(line), m.Resume) // a recorder that comes back when all is printed
			result, err := record(t, &m, process.Options{Command: script, Stdout: &out, Buffer: 256 << 10})
			bounded.Wait(t, m.Wait)
			if result.ExitCode != 5 || out.n != lines*len(line) || result.Output != int64(out.n) {
				t.Errorf("exit code %d, %d bytes passed on, %d said; want 5 and %d", result.ExitCode, out.n, result.Output, lines*len(line))
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
			raw := string(m.Raw(result.StreamID, schema.Receive))
			if !strings.HasPrefix(strings.Repeat(line, lines), raw) || int64(len(raw)) != result.Recorded || result.Recorded >= result.Output {
				t.Errorf("%d bytes are recorded, %d said", len(raw), result.Recorded)
			}
			if name == "backpressure" {
				if result.Recorded < 256<<10-64<<10 { // a read, which a pipe bounds, is kept whole or not
					t.Errorf("%d bytes recorded of what had room in the buffer", result.Recorded)
				}
				if state, _ := m.State(result.StreamID, "s"); !strings.HasPrefix(state.EndReason, "error: the recorder could not keep up") {
					t.Errorf("ended with %q", state.EndReason)
				}
			}
		})
	}
}

// countingWriter calls out once it was given so many bytes.
type countingWriter struct {
	n, at int
	call  func()
}

func (w *countingWriter) after(n int, call func()) { w.at, w.call = n, call }

func (w *countingWriter) Write(p []byte) (int, error) {
	w.n += len(p)
	if w.n >= w.at && w.call != nil {
		w.call()
		w.call = nil
	}
	return len(p), nil
}

func TestContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var m ingesttest.Memory
	out := countingWriter{}
	out.after(3, cancel)
	rec := ingest.NewRecorder(&m, ingest.Settings{})
	result, err := process.Record(ctx, rec, ingest.StreamOptions{Session: "s"}, process.Options{
		Command: shell(`echo '{}'; exec sleep 60`), Stdout: &out,
	})
	if err != nil || result.ExitCode != 128+int(syscall.SIGTERM) || result.Recorded != 3 {
		t.Errorf("%+v, %v", result, err)
	}
}

// recordingProcess starts this program as a recorder of a command, in a session
// of its own, which has no terminal, and returns its standard output. All of the
// session that does not end in time is killed, which ends reading as well.
func recordingProcess(t *testing.T, command ...string) (*exec.Cmd, io.ReadCloser) {
	t.Helper()
	cmd := exec.Command(os.Args[0], command...)
	cmd.Env = append(os.Environ(), asRecorder+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(bounded.Limit, func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended at this moment
		t.Errorf("%q did not end within %v and was killed", command, bounded.Limit)
	})
	t.Cleanup(func() { kill.Stop() })
	return cmd, out
}

// startDefault has the processes that are started from now on begin with the default
// of a signal. Where this one was started with it ignored, as nohup does with SIGHUP,
// they would inherit that, and a shell does not let a script trap such a signal.
func startDefault(t *testing.T, s os.Signal) {
	t.Helper()
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, s) // what a program handles, its children get as the default
	t.Cleanup(func() { signal.Stop(caught) })
}

func TestSignals(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2} {
		t.Run(s.String(), func(t *testing.T) {
			script := `trap 'echo caught; exit 7' INT TERM HUP QUIT USR1 USR2; echo ready; while :; do sleep 0.05; done`
			startDefault(t, s)
			cmd, out := recordingProcess(t, shell(script)...)
			buf := make([]byte, 100)
			n, _ := out.Read(buf)
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			rest := new(bytes.Buffer)
			_, _ = rest.ReadFrom(out)
			_ = bounded.Command(t, cmd)
			if got := string(buf[:n]) + rest.String(); got != "ready\ncaught\n" || cmd.ProcessState.ExitCode() != 7 {
				t.Errorf("%q, exit code %d; want the signal once, and 7", got, cmd.ProcessState.ExitCode())
			}
		})
	}
}

// TestReaderGone: the command ends as it does in a pipeline without us.
func TestReaderGone(t *testing.T) {
	cmd, out := recordingProcess(t, "yes", "{}")
	if _, err := out.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	out.Close()
	_ = bounded.Command(t, cmd)
	if got, want := cmd.ProcessState.ExitCode(), 128+int(syscall.SIGPIPE); got != want {
		t.Errorf("exit code %d, want %d", got, want)
	}
}

// TestLeftBehindAndStopped: a signal ends the wait for what a command left behind.
func TestLeftBehindAndStopped(t *testing.T) {
	cmd, out := recordingProcess(t, shell(`sleep 60 & echo $!`)...)
	if _, err := out.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond) // the shell has ended by then; what the tap waits for cannot be seen from outside
	began := time.Now()
	_ = cmd.Process.Signal(syscall.SIGINT)
	_ = bounded.Command(t, cmd)
	speedtest.Within(t, "the end", time.Since(began), 5*time.Second)
	group := -cmd.Process.Pid // the sleep is in the session that we began
	if err := syscall.Kill(group, syscall.SIGTERM); err != nil {
		t.Errorf("it ended with what the command left behind: %v", err)
	}
}
