package codexrollout_test

import (
	"testing"

	"tapedeck/ingest/dialect/codexrollout"
	"tapedeck/ingest/dialect/dialecttest/capture"
)

func TestCaptures(t *testing.T) { capture.Run(t, codexrollout.Dialect, "testdata/captures") }
