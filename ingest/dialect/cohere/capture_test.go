package cohere_test

import (
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect/cohere"
)

func TestCaptures(t *testing.T) { capturetest.Run(t, cohere.Dialect, "testdata/captures") }
