package adk_test

import (
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect/adk"
)

func TestCaptures(t *testing.T) { capturetest.Run(t, adk.Dialect, "testdata/captures") }
