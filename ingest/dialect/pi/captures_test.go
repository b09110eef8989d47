package pi_test

import (
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect/pi"
)

func TestCaptures(t *testing.T) { capturetest.Run(t, pi.Dialect, "testdata/captures") }
