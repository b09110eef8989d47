package cohere_test

import (
	"testing"

	"tapedeck/ingest/dialect/cohere"
	"tapedeck/ingest/dialect/dialecttest/capture"
)

func TestCaptures(t *testing.T) { capture.Run(t, cohere.Dialect, "testdata/captures") }
