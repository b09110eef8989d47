package backup_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/app/lifecycle/backup"
)

// listed writes a backup of ClickHouse's format, as far as it counts.
func listed(t *testing.T, dir, name, at, base string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, name, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	if base != "" {
		base = "<base_backup>File('" + base + "')</base_backup>"
	}
	text := "<config><version>1</version><timestamp>" + at + "</timestamp>" + base + "<contents></contents></config>"
	if err := os.WriteFile(filepath.Join(dir, name, ".backup"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	listed(t, dir, "sun", "2026-11-01 00:00:00", "")
	listed(t, dir, "sun/../hourly/1", "2026-11-01 01:00:00", "sun")
	listed(t, dir, "mon", "2026-11-02 00:00:00", "")
	listed(t, dir, "hourly/2", "2026-11-02 01:00:00", "mon")
	listed(t, dir, "hourly/3", "2026-11-02 02:00:00", "hourly/2")
	const old = 48 * time.Hour
	for name, ages := range map[string][4]time.Duration{ // of the files .lock and data/x, of data and of all
		"cut": {old, old, old, old}, "now": {old, old, old, time.Minute},
		"long": {old, time.Minute, old, old}, // it has been written for two days
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Join(path, "data"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{".lock", "data/x"} {
			if err := os.WriteFile(filepath.Join(path, file), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for i, file := range []string{".lock", "data/x", "data", "."} {
			at := time.Now().Add(-ages[i])
			if err := os.Chtimes(filepath.Join(path, file), at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	full := filepath.Join(dir, "full") // ClickHouse left an empty list
	if err := os.Mkdir(full, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(full, ".backup"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(full, ".backup"), full} {
		if at := time.Now().Add(-old); os.Chtimes(path, at, at) != nil {
			t.Fatal("change its time")
		}
	}
	want := []string{"hourly/1", "sun", "cut", "full"}
	for _, dry := range []bool{true, false} {
		removed, err := backup.Prune(dir, 1, dry)
		if err != nil || !slices.Equal(removed, want) {
			t.Errorf("dry %v: removed %v (%v), want %v", dry, removed, err, want)
		}
	}
	for name, there := range map[string]bool{"sun": false, "hourly/1": false, "cut": false, "now": true, "long": true, "mon": true, "hourly/2": true, "hourly/3": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != there {
			t.Errorf("%s: %v, want it there: %v", name, err, there)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "mon")); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Prune(dir, 1, false); err == nil || !strings.Contains(err.Error(), "continues mon") {
		t.Errorf("with a base that is gone: %v", err)
	}
	if _, err := backup.Prune(dir, 0, false); err == nil {
		t.Error("keeping none is not refused")
	}
}
