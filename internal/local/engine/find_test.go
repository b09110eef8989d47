package engine

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// script puts an executable file in place.
func script(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755))
}

func TestFind(t *testing.T) {
	// Away from the module, so that its bin/engine is not found.
	away := t.TempDir()
	library := filepath.Join(away, "lib", "libchdb.so")
	must(t, os.MkdirAll(filepath.Dir(library), 0o755))
	must(t, os.WriteFile(library, nil, 0o600))

	clone := filepath.Join(t.TempDir(), "clone")
	installed := filepath.Join(clone, "bin", "engine", "node_modules", "@chdb",
		packageName(runtime.GOOS, runtime.GOARCH), "libchdb.so")
	must(t, os.MkdirAll(filepath.Dir(installed), 0o755))
	must(t, os.WriteFile(installed, nil, 0o600))
	must(t, os.MkdirAll(filepath.Join(clone, "query", "deep"), 0o755))
	must(t, os.WriteFile(filepath.Join(clone, "go.mod"), []byte("module x\n"), 0o600))

	old := filepath.Join(t.TempDir(), "old")
	script(t, filepath.Join(old, "clickhouse"), `echo "ClickHouse server version 18.16.1."`)
	fresh := filepath.Join(t.TempDir(), "fresh")
	script(t, filepath.Join(fresh, "clickhouse"), `echo "ClickHouse server version 24.8.1.2684 (official build)."`)
	broken := filepath.Join(t.TempDir(), "broken")
	script(t, filepath.Join(broken, "clickhouse"), "exit 9")

	cases := []struct {
		name    string
		env     string
		cwd     string
		path    string
		want    Program
		missing bool     // ErrNotFound
		says    []string // parts of the error
	}{
		{name: "named", env: library, cwd: clone, path: fresh, want: Program{Library: library}},
		{name: "named but absent", env: library + "x", cwd: clone, path: fresh, says: []string{LibraryEnv, "no such file", "unset it"}},
		{name: "named a directory", env: away, cwd: clone, path: fresh, says: []string{"not a file"}},
		{name: "in a clone", cwd: filepath.Join(clone, "query", "deep"), path: fresh, want: Program{Library: installed}},
		{name: "on PATH", cwd: away, path: fresh, want: Program{Binary: filepath.Join(fresh, "clickhouse")}},
		{name: "Debian's", cwd: away, path: old, missing: true, says: []string{"ClickHouse 18.16, which is too old", "make engine", LibraryEnv, "install clickhouse 24.1"}},
		{name: "broken", cwd: away, path: broken, missing: true, says: []string{"exit status 9"}},
		{name: "none", cwd: away, path: away, missing: true, says: []string{"make engine", LibraryEnv, "clickhouse on PATH"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(LibraryEnv, c.env)
			t.Setenv("PATH", c.path+":/bin:/usr/bin")
			t.Chdir(c.cwd)
			got, err := Find(t.Context())
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if (err != nil) != (len(c.says) > 0) || errors.Is(err, ErrNotFound) != c.missing {
				t.Fatalf("error: %v", err)
			}
			for _, part := range c.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error does not say %q: %v", part, err)
				}
			}
		})
	}
}

func TestPackageName(t *testing.T) {
	for _, c := range []struct{ os, arch, want string }{
		{"linux", "amd64", "lib-linux-x64-gnu"},
		{"linux", "arm64", "lib-linux-arm64-gnu"},
		{"darwin", "amd64", "lib-darwin-x64"},
		{"darwin", "arm64", "lib-darwin-arm64"},
	} {
		if got := packageName(c.os, c.arch); got != c.want {
			t.Errorf("%s/%s: %s, want %s", c.os, c.arch, got, c.want)
		}
	}
}

func FuzzParseVersion(f *testing.F) {
	for _, text := range []string{
		"ClickHouse server version 24.8.1.2684 (official build).",
		"ClickHouse local version 26.7.2.1.",
		"ClickHouse server version 18.16.1.",
		"version 99999999999999999999.1", "version .", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		year, month, err := parseVersion(text)
		if year < 0 || month < 0 {
			t.Errorf("%q: %d.%d", text, year, month)
		}
		if err != nil && (year != 0 && month != 0) {
			t.Errorf("%q: %d.%d with error %v", text, year, month, err)
		}
	})
}

func TestParseVersion(t *testing.T) {
	for text, want := range map[string][2]int{
		"ClickHouse server version 24.8.1.2684 (official build).": {24, 8},
		"ClickHouse local version 26.7.2.1.":                      {26, 7},
		"warning\nClickHouse server version 18.16.1.\n":           {18, 16},
	} {
		year, month, err := parseVersion(text)
		if err != nil || [2]int{year, month} != want {
			t.Errorf("%q: %d.%d, %v", text, year, month, err)
		}
	}
}
