package opencode_test

import (
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect/opencode"
)

func TestCaptures(t *testing.T) { capturetest.Run(t, opencode.Dialect, "testdata/captures") }
