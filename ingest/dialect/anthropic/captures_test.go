package anthropic_test

import (
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect/anthropic"
)

func TestCaptures(t *testing.T) { capturetest.Run(t, anthropic.Dialect, "testdata/captures") }
