package codex_test

import (
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect/codex"
)

func TestCaptures(t *testing.T) { capturetest.Run(t, codex.Dialect, "testdata/captures") }
