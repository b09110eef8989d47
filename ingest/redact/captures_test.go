package redact_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/tap/file"
)

const fixtures = "../../../shared/fixtures"

// The default rules find nothing in real captures, which have no secrets.
func TestNoFalsePositives(t *testing.T) {
	files := 0
	err := filepath.WalkDir(fixtures, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		sum, err := file.Record(t.Context(), ingest.NewRecorder(&ingesttest.Memory{}, ingest.Settings{}, nil), ingest.StreamOptions{}, file.Options{Path: path})
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if len(sum.Redacted) > 0 {
			t.Errorf("%s: masked %v", path, sum.Redacted)
		}
		return nil
	})
	if err != nil || files < 50 {
		t.Fatalf("%d captures: %v", files, err)
	}
}
