package bedrock_test

import (
	"testing"

	"tapedeck/ingest/dialect/bedrock"
	"tapedeck/ingest/dialect/dialecttest/capture"
)

func TestCaptures(t *testing.T) { capture.Run(t, bedrock.Dialect, "testdata/captures") }
