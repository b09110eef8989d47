// Package speedtest holds the assertions of tests about how long something takes on this
// machine's clock.
//
// A machine that runs much else at a time is slow, and that is no fault of the program. So
// these assertions fail a test only where TAPEDECK_TEST_SPEED is set in the environment, as
// `make speed` and `make bench` set it; otherwise the test reports the time in its log.
package speedtest

import (
	"os"
	"testing"
	"time"
)

// Env is the environment variable that turns the assertions on unless it is empty.
const Env = "TAPEDECK_TEST_SPEED"

// Wanted reports whether tests assert how long something takes.
func Wanted() bool { return os.Getenv(Env) != "" }

// Within asserts that something took no longer than a limit.
func Within(t testing.TB, what string, took, limit time.Duration) {
	t.Helper()
	switch {
	case took <= limit:
	case Wanted():
		t.Errorf("%s took %v, want at most %v", what, took, limit)
	default:
		t.Logf("%s took %v, more than %v; with %s set that fails", what, took, limit, Env)
	}
}
