package fulltest

import (
	"os"
	"testing"
)

// LongEnv is the environment variable with which the long tests run unless it is empty.
const LongEnv = "TAPEDECK_TEST_LONG"

// Long skips a test that takes long by its nature, unless LongEnv is set, as `make test-long` sets it.
func Long(t testing.TB) {
	t.Helper()
	if os.Getenv(LongEnv) == "" {
		t.Skip("long test: make test-long")
	}
}
