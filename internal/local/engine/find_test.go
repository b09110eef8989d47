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
	away := t.TempDir()
	library := filepath.Join(away, "lib", "libchdb.so")
	must(t, os.MkdirAll(filepath.Dir(library), 0o755))
	must(t, os.WriteFile(library, nil, 0o600))

	// A folder of somebody else, with all that the search could be led by.
	clone := filepath.Join(t.TempDir(), "clone")
	foreign := filepath.Join("node_modules", "@chdb", packageName(runtime.GOOS, runtime.GOARCH), "libchdb.so")
	for _, at := range []string{"", "engine", filepath.Join("bin", "engine")} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(clone, at, foreign)), 0o755))
		must(t, os.WriteFile(filepath.Join(clone, at, foreign), nil, 0o600))
	}
	must(t, os.MkdirAll(filepath.Join(clone, "query", "deep"), 0o755))
	must(t, os.WriteFile(filepath.Join(clone, "go.mod"), []byte("module x\n"), 0o600))
	script(t, filepath.Join(clone, "clickhouse"), `touch was-run; echo "ClickHouse server version 26.7.1.1."`)

	old := filepath.Join(t.TempDir(), "old")
	script(t, filepath.Join(old, "clickhouse"), `echo "ClickHouse server version 18.16.1."`)
	fresh := filepath.Join(t.TempDir(), "fresh")
	script(t, filepath.Join(fresh, "clickhouse"), `echo "ClickHouse server version 26.2.1.2684 (official build)."`)
	month := filepath.Join(t.TempDir(), "month")
	script(t, filepath.Join(month, "clickhouse"), `echo "ClickHouse server version 26.1.9.3 (official build)."`)
	year := filepath.Join(t.TempDir(), "year")
	script(t, filepath.Join(year, "clickhouse"), `echo "ClickHouse server version 25.12.3.4 (official build)."`)
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
		{name: "named from the working directory", env: "lib/libchdb.so", cwd: away, path: fresh, want: Program{Library: library}},
		{name: "below a clone", cwd: filepath.Join(clone, "query", "deep"), path: fresh, want: Program{Binary: filepath.Join(fresh, "clickhouse")}},
		{name: "in a clone", cwd: clone, path: away, missing: true, says: []string{"clickhouse on PATH"}},
		{name: "PATH with the working directory", cwd: clone, path: ".", missing: true, says: []string{"PATH has a relative entry"}},
		{name: "PATH with an empty entry", cwd: clone, path: "", missing: true, says: []string{"PATH has a relative entry"}},
		{name: "on PATH", cwd: away, path: fresh, want: Program{Binary: filepath.Join(fresh, "clickhouse")}},
		{name: "Debian's", cwd: away, path: old, missing: true, says: []string{"ClickHouse 18.16, which is too old: 26.2 or newer is needed", "make engine", LibraryEnv, "install clickhouse 26.2 or newer"}},
		{name: "a month too old", cwd: away, path: month, missing: true, says: []string{"ClickHouse 26.1, which is too old: 26.2"}},
		{name: "a year too old", cwd: away, path: year, missing: true, says: []string{"ClickHouse 25.12, which is too old: 26.2"}},
		{name: "broken", cwd: away, path: broken, missing: true, says: []string{"exit status 9"}},
		{name: "none", cwd: away, path: away, missing: true, says: []string{"make engine", LibraryEnv, "clickhouse on PATH"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(LibraryEnv, c.env)
			t.Setenv("PATH", c.path+":/bin:/usr/bin") // an empty entry is the working directory
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
	if _, err := os.Stat(filepath.Join(clone, "was-run")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the clickhouse of the working directory was run: %v", err)
	}
}

// TestTrusted checks which libraries beside an executable are loaded.
func TestTrusted(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(exe, home, library string) error
		says string // empty: trusted
	}{
		{"as installed", func(_, _, _ string) error { return nil }, ""},
		{"everybody may write the library", func(_, _, library string) error { return os.Chmod(library, 0o666) }, "every user may write to"},
		{"everybody may write a folder", func(_, home, _ string) error { return os.Chmod(home, 0o777) }, "every user may write to"},
		{"the group may write", func(_, home, _ string) error { return os.Chmod(home, 0o775) }, ""},
		{"another user's folder", func(_, home, _ string) error { return os.Chown(home, 65534, -1) }, "belongs to another user (id 65534)"},
		{"another user's library", func(_, _, library string) error { return os.Chown(library, 65534, -1) }, "belongs to another user (id 65534)"},
		{"the executable's owner", func(exe, home, library string) error {
			return errors.Join(os.Chown(exe, 65534, -1), os.Chown(home, 65534, -1), os.Chown(library, 65534, -1))
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			exe, home := filepath.Join(dir, "tapedeck"), filepath.Join(dir, "engine")
			library := filepath.Join(home, "deep", "libchdb.so")
			must(t, os.MkdirAll(filepath.Dir(library), 0o755))
			must(t, os.WriteFile(library, nil, 0o644))
			must(t, os.WriteFile(exe, nil, 0o755))
			if err := c.do(exe, home, library); errors.Is(err, os.ErrPermission) {
				t.Skip("only root may change the owner of a file")
			} else {
				must(t, err)
			}
			err := checkTrusted(exe, home, library)
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("got %v, want %q", err, c.says)
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
