package failure

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// exporter is an example of docs/recipes/exporter.md.
type exporter struct{ name, program, file string }

var exporters = []exporter{
	{"go", "go", "main.go"}, {"python", "python3", "exporter.py"}, {"js", "node", "exporter.mjs"},
}

// command returns the command that sends a text to a server under a key.
func (of exporter) command(t *testing.T, url, key, text string) *exec.Cmd {
	t.Helper()
	page, err := os.ReadFile("../../../../docs/recipes/exporter.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath(of.program)
	if err != nil {
		fulltest.Missing(t, err)
	}
	code := regexp.MustCompile("(?s)```" + of.name + "\n(.*?)```").FindSubmatch(page)
	if code == nil {
		t.Fatal("the page has no such example")
	}
	home := t.TempDir()
	for name, content := range map[string]string{of.file: string(code[1]), "events": text, "go.mod": "module exporter\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{filepath.Join(home, of.file)}
	if of.name == "go" {
		built := exec.Command(program, "build", "-o", "exporter", ".")
		built.Dir = home
		if out, err := built.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		program, args = filepath.Join(home, "exporter"), nil
	}
	return exec.Command(program, append(args, url, key, filepath.Join(home, "events"))...)
}

// The examples of docs/recipes/exporter.md stop with the answer when the key's session
// was deleted.
func TestExportersStopWhenDeleted(t *testing.T) {
	t.Parallel()
	const answer = "Use another key to record it anew."
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, answer, http.StatusGone)
	}))
	defer s.Close()
	for _, of := range exporters {
		t.Run(of.name, func(t *testing.T) {
			var said bytes.Buffer
			run := of.command(t, s.URL, "deleted", "{}\n")
			run.Stdout, run.Stderr = &said, &said
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			stop := time.AfterFunc(bounded.Limit, func() { _ = run.Process.Kill() })
			defer stop.Stop()
			err := run.Wait()
			if code := run.ProcessState.ExitCode(); code != 1 || !strings.Contains(said.String(), "410") || !strings.Contains(said.String(), answer) {
				t.Errorf("%v\n%s", err, &said)
			}
		})
	}
}

// The examples of docs/recipes/exporter.md send a file to a server that is killed in
// the middle and started again: it is recorded once and whole.
func TestExportersOutliveKills(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	commandtest.NeedEngine(t)
	dir := t.TempDir()
	s, err := commandtest.StartUp(t, filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	const steps = 20_000
	address := strings.TrimPrefix(s.URL, "http://")
	defer func() { s.Kill() }()
	for _, of := range exporters {
		t.Run(of.name, func(t *testing.T) {
			text := keyedBody("exported-by-"+of.name, steps)
			key := fmt.Sprintf("exporter-%s", of.name)
			var said bytes.Buffer
			run := of.command(t, s.URL, key, text)
			run.Stdout, run.Stderr = &said, &said
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- run.Wait() }()
			t.Cleanup(func() { _ = run.Process.Kill() }) // it has ended, unless the test failed
			bounded.Until(t, "something to be durable", func() bool { return durableUnder(s.URL, key) > 0 })
			s.Kill()
			if s, err = commandtest.StartUp(t, filepath.Join(dir, "data"), "--listen", address); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-ended:
				if err != nil {
					t.Fatalf("%v\n%s", err, &said)
				}
			case <-time.After(bounded.Limit):
				t.Fatalf("it did not end\n%s", &said)
			}
			settled(t, s, "exported-by-"+of.name, text, keyedSession{
				Status: "ok", Frames: strings.Count(text, "\n"), Runs: 1, Tokens: tokensOf(steps), Calls: steps,
			})
		})
	}
}
