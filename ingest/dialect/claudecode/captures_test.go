package claudecode_test

import (
	"testing"

	"tapedeck/ingest/dialect/claudecode"
	"tapedeck/ingest/dialect/dialecttest/capture"
)

func TestCaptures(t *testing.T) { capture.Run(t, claudecode.Dialect, "testdata/captures") }
