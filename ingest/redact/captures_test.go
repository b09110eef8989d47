package redact_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/redact"
	"tapedeck/ingest/tap/file"
	"tapedeck/internal/fulltest"
	"tapedeck/schema"
)

// The default rules find nothing in recordings without secrets.
func TestNoFalsePositives(t *testing.T) {
	files, err := filepath.Glob("testdata/clean/*")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d recordings: %v", len(files), err)
	}
	for _, path := range files {
		masksNothing(t, path)
	}
}

// The default rules find nothing in real captures, which have no secrets.
func TestNoFalsePositivesInCaptures(t *testing.T) {
	const fixtures = "../../../shared/fixtures"
	if _, err := os.Stat(fixtures); err != nil {
		fulltest.Missing(t, "no captures in", fixtures)
	}
	files := 0
	err := filepath.WalkDir(fixtures, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		masksNothing(t, path)
		return nil
	})
	if err != nil || files < 50 {
		t.Fatalf("%d captures: %v", files, err)
	}
}

// masksNothing records a file and checks that none of it is masked.
func masksNothing(t *testing.T, path string) {
	t.Helper()
	recorder := ingest.NewRecorder(&ingesttest.Memory{}, ingest.Settings{})
	sum, err := file.Record(t.Context(), recorder, ingest.StreamOptions{}, file.Options{Path: path})
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	if len(sum.Redacted) > 0 {
		t.Errorf("%s: masked %v", path, sum.Redacted)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	names := redact.NewByName(nil, nil, false)
	for _, text := range append(bytes.Split(raw, []byte("\n")), raw) {
		text = bytes.TrimPrefix(text, []byte("data: "))
		for kind, mask := range map[string]func(*schema.Frame){"a request": names.Body, "an answer": names.Answer} {
			if kind == "a request" && !bytes.Contains(text, []byte(`"messages":`)) {
				continue // what only a server sends
			}
			f := schema.Frame{Raw: text}
			if mask(&f); f.Flags.Has(schema.FlagRedacted) {
				t.Errorf("%s: as %s it became %.500s", path, kind, f.Raw)
			}
		}
	}
}
