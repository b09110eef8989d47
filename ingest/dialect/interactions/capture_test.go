package interactions_test

import (
	"testing"

	"tapedeck/ingest/dialect/dialecttest/capture"
	"tapedeck/ingest/dialect/interactions"
)

func TestCaptures(t *testing.T) { capture.Run(t, interactions.Dialect, "testdata/captures") }
