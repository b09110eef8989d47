package codexrollout_test

import (
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect/codexrollout"
)

func TestCaptures(t *testing.T) { capturetest.Run(t, codexrollout.Dialect, "testdata/captures") }
