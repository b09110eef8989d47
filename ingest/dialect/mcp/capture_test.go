package mcp_test

import (
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect/mcp"
)

func TestCaptures(t *testing.T) { capturetest.Run(t, mcp.Dialect, "testdata/captures") }
