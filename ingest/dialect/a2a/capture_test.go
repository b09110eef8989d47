package a2a_test

import (
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect/a2a"
)

func TestCaptures(t *testing.T) { capturetest.Run(t, a2a.Dialect, "testdata/captures") }
