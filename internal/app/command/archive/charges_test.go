package archive

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A run with All writes a file of charges again that is missing or changed, and leaves those that are as they were
// written. Other runs do not read the files.
func TestDamagedCharges(t *testing.T) {
	file := parquetOf(t, 1)
	client := serving(t, func(path string) string {
		switch path {
		case "/v1/usage/calls":
			return string(file)
		case "/v1/usage":
			return `{"items": [{"period": "2026-11-27"}, {"period": "2026-11-28"}]}`
		}
		return `{"items": []}`
	})
	dir := t.TempDir()
	place := Directory(dir)
	path := filepath.Join(dir, "charges", "2026-11-28.parquet")
	for _, step := range []struct {
		name   string
		damage func() error
		all    bool
		days   int
		bad    int // files after the run
	}{
		{"the first run", nil, false, 2, 0},
		{"all files are there", nil, true, 0, 0},
		{"missing", func() error { return os.Remove(path) }, false, 0, 1},
		{"missing, all", nil, true, 1, 0},
		{"changed, all", func() error { return os.WriteFile(path, file[1:], 0o600) }, true, 1, 0},
	} {
		if step.damage != nil {
			if err := step.damage(); err != nil {
				t.Fatal(err)
			}
		}
		now := func() time.Time { return time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC) }
		got, err := Run(t.Context(), Options{Client: client, Place: place, All: step.all, Now: now, Said: func(line string) { t.Error(line) }})
		if err != nil || got.Days != step.days || got.Failed != 0 {
			t.Errorf("%s: %+v, %v, want %d days", step.name, got, err, step.days)
		}
		checked, err := Verify(t.Context(), place, func(string) {})
		if err != nil || checked.Days != 2 || checked.Bad != step.bad {
			t.Errorf("%s: the check: %+v, %v, want %d bad files", step.name, checked, err, step.bad)
		}
	}
}
