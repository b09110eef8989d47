// Package mcp asks the real program for recordings by the Model Context Protocol, as agents do.
package mcp

import (
	"testing"

	"tapedeck/tools/systemtest/commands/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m) }
