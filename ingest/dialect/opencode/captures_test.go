package opencode_test

import (
	"testing"

	"tapedeck/ingest/dialect/dialecttest/capture"
	"tapedeck/ingest/dialect/opencode"
)

func TestCaptures(t *testing.T) { capture.Run(t, opencode.Dialect, "testdata/captures") }
