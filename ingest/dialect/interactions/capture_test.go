package interactions_test

import (
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect/interactions"
)

func TestCaptures(t *testing.T) { capturetest.Run(t, interactions.Dialect, "testdata/captures") }
