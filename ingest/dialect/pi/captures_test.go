package pi_test

import (
	"testing"

	"tapedeck/ingest/dialect/dialecttest/capture"
	"tapedeck/ingest/dialect/pi"
)

func TestCaptures(t *testing.T) { capture.Run(t, pi.Dialect, "testdata/captures") }
