package codex_test

import (
	"testing"

	"tapedeck/ingest/dialect/codex"
	"tapedeck/ingest/dialect/dialecttest/capture"
)

func TestCaptures(t *testing.T) { capture.Run(t, codex.Dialect, "testdata/captures") }
