package spool

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// childVar makes this test program play a part in a process of its own.
const childVar = "TAPEDECK_SPOOL_TEST_CHILD"

func TestMain(m *testing.M) {
	if part := os.Getenv(childVar); part != "" {
		if err := playChild(part, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
