// Package programtest provides the tapedeck program to tests that start it as a process.
package programtest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/engine/enginetest"
)

// ProgramEnv is the environment variable with the path of a program that was built before. Relative
// paths are relative to the working directory of the test.
const ProgramEnv = "TAPEDECK_TEST_PROGRAM"

const mainPackage = "tapedeck/cmd/tapedeck"

// Path returns the absolute path of the tapedeck program: the program that ProgramEnv names, or a
// program that the first call builds for this test binary. The program is removed when the test
// binary ends. In a test binary with the race detector, it is built with the race detector too.
func Path(t testing.TB) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var program = sync.OnceValues(func() (string, error) {
	if path := os.Getenv(ProgramEnv); path != "" {
		path, err := filepath.Abs(path)
		if err == nil {
			_, err = os.Stat(path)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", ProgramEnv, err)
		}
		return path, nil
	}
	dir, err := os.MkdirTemp("", "tapedeck-program-")
	if err != nil {
		return "", err
	}
	if err := removeAtExit(dir); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "tapedeck")
	if err := build(path); err != nil {
		return "", err
	}
	return path, nil
})

// build compiles the program as the Makefile does, but without the commit and with the symbol
// table.
func build(path string) error {
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-w"}
	cgo := "0"
	if raceDetector {
		args, cgo = append(args, "-race"), "1"
	}
	cmd := exec.Command("go", append(args, "-o", path, mainPackage)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return dependOnSources()
}

// dependOnSources opens each source file of the program. `go test` reuses a cached result while the
// files that the test has opened are unchanged; it does not know the sources of the program.
func dependOnSources() error {
	const files = `{{if .Module}}{{if .Module.Main}}{{$dir := .Dir}}{{.Module.GoMod}}
{{range .GoFiles}}{{$dir}}/{{.}}
{{end}}{{range .EmbedFiles}}{{$dir}}/{{.}}
{{end}}{{end}}{{end}}`
	out, err := exec.Command("go", "list", "-deps", "-f", files, mainPackage).Output()
	if err != nil {
		return fmt.Errorf("list the files of the program: %w", err)
	}
	for _, path := range strings.Fields(string(out)) {
		if _, err := os.Stat(path); err != nil {
			return err
		}
	}
	return nil
}

// removeAtExit removes a directory when this process ends in any way: a shell waits until the pipe
// to it is closed.
func removeAtExit(dir string) error {
	cmd := exec.Command("sh", "-c", `trap "" HUP INT TERM; cat; rm -rf "$1"`, "sh", dir)
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	open = append(open, pipe)
	return cmd.Start()
}

// open holds the pipes of removeAtExit, so that the garbage collector does not close them.
var open []io.Closer

// Environ returns the environment for the program: the test's environment with the path of the
// ClickHouse engine. A program in a temporary directory does not find the engine of the clone.
// Without an engine the test is skipped; in a full run it fails.
func Environ(t testing.TB) []string {
	t.Helper()
	enginetest.Use()
	found, err := engine.Find(t.Context())
	if err != nil {
		fulltest.Missing(t, err)
	}
	env := os.Environ()
	if found.Library != "" {
		env = append(env, engine.LibraryEnv+"="+found.Library)
	}
	return env
}
