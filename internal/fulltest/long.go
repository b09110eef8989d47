package fulltest

import (
	"os"
	"testing"
)

// LongEnv is the environment variable that enables the long tests unless it is empty.
const LongEnv = "TAPEDECK_TEST_LONG"

// Long skips a long test, unless LongEnv is set, as `make test-long` sets it.
func Long(t testing.TB) {
	t.Helper()
	if os.Getenv(LongEnv) == "" {
		t.Skip("long test: make test-long")
	}
}
