package anthropicagent_test

import (
	"testing"

	"tapedeck/ingest/dialect/anthropicagent"
	"tapedeck/ingest/dialect/dialecttest/capture"
)

func TestCaptures(t *testing.T) { capture.Run(t, anthropicagent.Dialect, "testdata/captures") }
