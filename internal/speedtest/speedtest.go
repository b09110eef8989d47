// Package speedtest provides assertions for tests about how long something takes on this machine's
// clock.
//
// A machine that runs other programs at the same time is slow, which is not a fault of the program.
// So these assertions fail a test only if TAPEDECK_TEST_SPEED is set in the environment, as `make
// speed` and `make bench` set it; otherwise the test logs the time.
package speedtest

import (
	"os"
	"testing"
	"time"
)

// Env is the environment variable that enables the assertions unless it is empty.
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
