package mcp_test

import (
	"testing"

	"tapedeck/ingest/dialect/dialecttest/capture"
	"tapedeck/ingest/dialect/mcp"
)

func TestCaptures(t *testing.T) { capture.Run(t, mcp.Dialect, "testdata/captures") }
