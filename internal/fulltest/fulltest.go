// Package fulltest skips or fails tests whose requirements the machine lacks: captured streams
// beside the repository, the ClickHouse engine, third-party clients, a browser.
//
// Such a test is skipped with the requirement as the reason. If TAPEDECK_TEST_FULL is set in the
// environment, as .ci/run sets it, the test fails, so that no test is skipped unnoticed.
package fulltest

import (
	"os"
	"testing"
)

// Env is the environment variable that makes all tests mandatory unless it is empty.
const Env = "TAPEDECK_TEST_FULL"

// Wanted reports whether tests with missing requirements fail rather than skip.
func Wanted() bool { return os.Getenv(Env) != "" }

// Missing skips or fails a test with a missing requirement.
func Missing(t testing.TB, what ...any) {
	t.Helper()
	if Wanted() {
		t.Fatal(append(what, "("+Env+" is set: no test may be skipped for that)")...)
	}
	t.Skip(append([]any{"skipped:"}, what...)...)
}
