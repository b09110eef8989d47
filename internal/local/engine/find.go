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

// Find looks for a ClickHouse in this order: the library that LibraryEnv names, the library in the
// folder engine beside the running executable, a clickhouse binary on PATH. It never looks in the
// working directory, which may hold files of other users; tests call enginetest.Use. If the file
// that LibraryEnv names is missing, Find returns an error and does not use another engine.
func Find(ctx context.Context) (Program, error) {
	if path := os.Getenv(LibraryEnv); path != "" {
		err := checkLibrary(path)
		if err == nil {
			path, err = filepath.Abs(path) // the child has another working directory
		}
		if err != nil {
			return Program{}, fmt.Errorf("%s=%s: %w; correct it or unset it", LibraryEnv, path, err)
		}
		return Program{Library: path}, nil
	}
	var looked []string
	if path, err := besideExecutable(); err != nil {
		looked = append(looked, err.Error())
	} else {
		return Program{Library: path}, nil
	}
	// LookPath refuses a binary in the working directory, even if PATH has a relative entry.
	binary, err := exec.LookPath("clickhouse")
	if errors.Is(err, exec.ErrDot) {
		looked = append(looked, fmt.Sprintf("%s: not used, since PATH has a relative entry", binary))
		return Program{}, notFound(looked)
	}
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
	return fmt.Errorf(
		"%w; run 'make engine' in a clone of tapedeck, or set %s to the path of libchdb.so, "+
			"or install clickhouse %s or newer; looked at: %s",
		ErrNotFound, LibraryEnv, Oldest, strings.Join(looked, "; "),
	)
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

// besideExecutable returns the library that install.sh put into the folder engine beside the
// running executable. If there is none that may be loaded, the error names its path.
func besideExecutable() (string, error) {
	executable, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("the folder of this program: %w", err)
	}
	if real, err := filepath.EvalSymlinks(executable); err == nil {
		executable = real
	}
	home := filepath.Join(filepath.Dir(executable), "engine")
	path := filepath.Join(home, "node_modules", "@chdb", packageName(runtime.GOOS, runtime.GOARCH), "libchdb.so")
	if err := checkLibrary(path); err != nil {
		return "", errors.New(path)
	}
	if err := checkTrusted(executable, home, path); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return path, nil
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
