// Package memorytest provides assertions for tests about how much memory a process uses.
//
// The race detector multiplies the memory of a program. A test binary that is built with it logs
// the figure and asserts nothing.
package memorytest

import (
	"runtime/debug"
	"testing"
)

// AtMost asserts that a process grew by no more than a number of bytes.
func AtMost(t testing.TB, what string, grew, limit int64) {
	t.Helper()
	atMost(t, what, grew, limit, raceDetector())
}

func atMost(t testing.TB, what string, grew, limit int64, race bool) {
	t.Helper()
	const mib = 1 << 20
	switch {
	case grew <= limit:
	case race:
		t.Logf("%s grew by %.1f MiB, more than %.1f, under the race detector", what, float64(grew)/mib,
			float64(limit)/mib)
	default:
		t.Errorf("%s grew by %.1f MiB, want at most %.1f", what, float64(grew)/mib, float64(limit)/mib)
	}
}

// raceDetector reports whether the running program was built with -race.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return false
	}
	for _, s := range info.Settings {
		if s.Key == "-race" {
			return s.Value == "true"
		}
	}
	return false
}
