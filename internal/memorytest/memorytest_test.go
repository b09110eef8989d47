package memorytest

import "testing"

type counting struct {
	testing.TB
	errors, logs int
}

func (c *counting) Helper()               {}
func (c *counting) Errorf(string, ...any) { c.errors++ }
func (c *counting) Logf(string, ...any)   { c.logs++ }

func TestAtMost(t *testing.T) {
	for _, tc := range []struct {
		grew         int64
		race         bool
		errors, logs int
	}{
		{100, false, 0, 0}, {101, false, 1, 0}, {100, true, 0, 0}, {101, true, 0, 1}, {-5, false, 0, 0},
	} {
		c := &counting{TB: t}
		if atMost(c, "it", tc.grew, 100, tc.race); c.errors != tc.errors || c.logs != tc.logs {
			t.Errorf("%d, race %v: %d errors, %d logs", tc.grew, tc.race, c.errors, c.logs)
		}
	}
}
