package engine

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"tapedeck/internal/local/engine/enginetest"
)

// TestMain lets the test binary be what the tests need besides themselves: the
// engine's child, a parent to be killed, a clickhouse server.
func TestMain(m *testing.M) {
	RunIfChild()
	enginetest.Use()
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case parentCommand:
			os.Exit(parentMain(os.Args[2:]))
		case serverCommand:
			os.Exit(serverMain(os.Args[2:]))
		}
	}
	goleak.VerifyTestMain(m)
}
