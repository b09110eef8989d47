package bedrock_test

import (
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect/bedrock"
)

func TestCaptures(t *testing.T) { capturetest.Run(t, bedrock.Dialect, "testdata/captures") }
