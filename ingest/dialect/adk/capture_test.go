package adk_test

import (
	"testing"

	"tapedeck/ingest/dialect/adk"
	"tapedeck/ingest/dialect/dialecttest/capture"
)

func TestCaptures(t *testing.T) { capture.Run(t, adk.Dialect, "testdata/captures") }
