package broker

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets the test binary also be a broker that a test can kill.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == publisherCommand {
		os.Exit(publisherMain(os.Args[2]))
	}
	goleak.VerifyTestMain(m)
}
