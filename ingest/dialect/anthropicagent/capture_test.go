package anthropicagent_test

import (
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect/anthropicagent"
)

func TestCaptures(t *testing.T) { capturetest.Run(t, anthropicagent.Dialect, "testdata/captures") }
