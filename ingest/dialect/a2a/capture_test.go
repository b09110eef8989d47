package a2a_test

import (
	"testing"

	"tapedeck/ingest/dialect/a2a"
	"tapedeck/ingest/dialect/dialecttest/capture"
)

func TestCaptures(t *testing.T) { capture.Run(t, a2a.Dialect, "testdata/captures") }
