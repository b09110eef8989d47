package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// LibraryEnv names the environment variable that holds the path of libchdb.so.
const LibraryEnv = "TAPEDECK_LIBCHDB"

// ErrNotFound is wrapped by the error of [Find] if there is no usable ClickHouse on
// this machine. The error lists where Find looked and what to do.
var ErrNotFound = errors.New("no ClickHouse engine found")

// Program is a ClickHouse that can be run: a library or a binary, never both.
type Program struct {
	Library string // path of libchdb.so
	Binary  string // path of a clickhouse binary
}

// String returns the name of the program for logs and reports.
func (p Program) String() string {
	if p.Library != "" {
		return p.Library
	}
	return p.Binary + " server"
}

// Find searches for a ClickHouse in this order: the library that LibraryEnv names; the library
// installed beside the running executable (engine/…); the library under bin/engine of the module
// that contains the working directory (for tests); a clickhouse binary on PATH. A missing file at
// the path in LibraryEnv is an error; Find then does not use another engine.
func Find(ctx context.Context) (Program, error) {
	if path := os.Getenv(LibraryEnv); path != "" {
		if err := checkLibrary(path); err != nil {
			return Program{}, fmt.Errorf("%s=%s: %w; correct it or unset it", LibraryEnv, path, err)
		}
		return Program{Library: path}, nil
	}
	var looked []string
	for _, dir := range searchDirs() {
		path := filepath.Join(dir, "node_modules", "@chdb", packageName(runtime.GOOS, runtime.GOARCH), "libchdb.so")
		if err := checkLibrary(path); err == nil {
			return Program{Library: path}, nil
		}
		looked = append(looked, path)
	}
	binary, err := exec.LookPath("clickhouse")
	if err != nil {
		looked = append(looked, "clickhouse on PATH")
		return Program{}, notFound(looked)
	}
	if err := checkBinary(ctx, binary); err != nil {
		looked = append(looked, err.Error())
		return Program{}, notFound(looked)
	}
	return Program{Binary: binary}, nil
}

func notFound(looked []string) error {
	return fmt.Errorf("%w; run 'make engine' in a clone of tapedeck, or set %s to the path of libchdb.so, or install clickhouse %d.1 or newer; looked at: %s",
		ErrNotFound, LibraryEnv, oldestYear, strings.Join(looked, "; "))
}

// packageName returns the name of the npm package with the library for a platform.
func packageName(goos, goarch string) string {
	if goarch == "amd64" {
		goarch = "x64"
	}
	name := "lib-" + goos + "-" + goarch
	if goos == "linux" {
		name += "-gnu"
	}
	return name
}

// searchDirs lists the directories to which install.sh may have written.
func searchDirs() []string {
	var dirs []string
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		dirs = append(dirs, filepath.Join(filepath.Dir(exe), "engine"))
	}
	if root, ok := moduleRoot(); ok {
		dirs = append(dirs, filepath.Join(root, "bin", "engine"))
	}
	return dirs
}

// moduleRoot returns the directory of go.mod at or above the working directory.
func moduleRoot() (string, bool) {
	dir, err := os.Getwd()
	if err != nil {
		return "", false
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		dir = up
	}
}

func checkLibrary(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return errors.New("no such file")
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("not a file")
	}
	return nil
}
