package main

import (
	"fmt"
	"os"
	"testing"

	"tapedeck/internal/local/engine"
)

// runAsCommand has the test binary be the tapedeck command: the tests run the
// real thing as processes of its own.
const runAsCommand = "TAPEDECK_TEST_COMMAND"

func TestMain(m *testing.M) {
	engine.RunIfChild()
	if os.Getenv(runAsCommand) != "" {
		os.Exit(run(os.Args[1:]))
	}
	code := m.Run()
	if code != 0 && shared.s != nil {
		fmt.Fprintf(os.Stderr, "the shared server logged:\n%s", shared.s.log)
	}
	shared.stop()
	os.Exit(code)
}
