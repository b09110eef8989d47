package anthropic_test

import (
	"testing"

	"tapedeck/ingest/dialect/anthropic"
	"tapedeck/ingest/dialect/dialecttest/capture"
)

func TestCaptures(t *testing.T) { capture.Run(t, anthropic.Dialect, "testdata/captures") }
