// Package fulltest decides what becomes of a test for which the machine lacks
// something: the captured streams beside the repository, the ClickHouse engine,
// the clients of others, a browser.
//
// Such a test is skipped and says what is missing. With TAPEDECK_TEST_FULL set in
// the environment, as .ci/run sets it, it fails, so that nothing is left out
// unnoticed.
package fulltest

import (
	"os"
	"testing"
)

// Env is the environment variable that makes all of the tests mandatory; empty is
// as good as not set.
const Env = "TAPEDECK_TEST_FULL"

// Wanted reports whether no test may be skipped for something that is missing.
func Wanted() bool { return os.Getenv(Env) != "" }

// Missing ends a test for which something is missing.
func Missing(t testing.TB, what ...any) {
	t.Helper()
	if Wanted() {
		t.Fatal(append(what, "("+Env+" is set: no test may be skipped for that)")...)
	}
	t.Skip(append([]any{"skipped:"}, what...)...)
}
