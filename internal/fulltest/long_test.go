package fulltest_test

import (
	"testing"

	"tapedeck/internal/fulltest"
)

// skipRecorder records whether a test was skipped, without skipping it.
type skipRecorder struct {
	testing.TB
	skipped bool
}

func (r *skipRecorder) Skip(...any) { r.skipped = true }

// A long test is skipped unless the variable is set.
func TestLong(t *testing.T) {
	for value, want := range map[string]bool{"": true, "1": false} {
		t.Setenv(fulltest.LongEnv, value)
		r := &skipRecorder{TB: t}
		if fulltest.Long(r); r.skipped != want {
			t.Errorf("with %s=%q the test was skipped: %v, want %v", fulltest.LongEnv, value, r.skipped, want)
		}
	}
}
