package claudecode_test

import (
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect/claudecode"
)

func TestCaptures(t *testing.T) { capturetest.Run(t, claudecode.Dialect, "testdata/captures") }
