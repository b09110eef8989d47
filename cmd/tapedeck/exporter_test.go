package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tapedeck/deploy/fulltest"
)

// The examples of docs/recipes/exporter.md send a file to a server that is killed in
// the middle and started again: it is recorded once and whole.
func TestExportersOutliveKills(t *testing.T) {
	needEngine(t)
	page, err := os.ReadFile("../../docs/recipes/exporter.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s, err := startUp(filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	const steps = 20_000
	address := strings.TrimPrefix(s.url, "http://")
	defer func() { s.kill() }()
	for _, of := range []struct{ name, program, file string }{
		{"go", "go", "main.go"}, {"python", "python3", "exporter.py"}, {"js", "node", "exporter.mjs"},
	} {
		t.Run(of.name, func(t *testing.T) {
			program, err := exec.LookPath(of.program)
			if err != nil {
				fulltest.Missing(t, err)
			}
			code := regexp.MustCompile("(?s)```" + of.name + "\n(.*?)```").FindSubmatch(page)
			if code == nil {
				t.Fatal("the page has no such example")
			}
			home := filepath.Join(dir, of.name)
			text := keyedBody("exported-by-"+of.name, steps)
			for name, content := range map[string]string{of.file: string(code[1]), "events": text, "go.mod": "module exporter\n"} {
				if err := os.MkdirAll(home, 0o700); err != nil {
					t.Fatal(err)
				}
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
			key := fmt.Sprintf("exporter-%s", of.name)
			var said bytes.Buffer
			run := exec.Command(program, append(args, s.url, key, filepath.Join(home, "events"))...)
			run.Stdout, run.Stderr = &said, &said
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- run.Wait() }()
			t.Cleanup(func() { _ = run.Process.Kill() }) // it has ended, unless the test failed
			until(t, "something to be durable", time.Minute, func() bool { return durableUnder(s.url, key) > 0 })
			s.kill()
			if s, err = startUp(filepath.Join(dir, "data"), "--listen", address); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-ended:
				if err != nil {
					t.Fatalf("%v\n%s", err, &said)
				}
			case <-time.After(2 * time.Minute):
				t.Fatalf("it did not end\n%s", &said)
			}
			settled(t, s, "exported-by-"+of.name, text, keyedSession{
				Status: "ok", Frames: strings.Count(text, "\n"), Runs: 1, Tokens: tokensOf(steps), Calls: steps,
			})
		})
	}
}
