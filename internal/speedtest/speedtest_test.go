package speedtest

import (
	"testing"
	"time"
)

type counting struct {
	testing.TB
	errors, logs int
}

func (c *counting) Helper()               {}
func (c *counting) Errorf(string, ...any) { c.errors++ }
func (c *counting) Logf(string, ...any)   { c.logs++ }

func TestWithin(t *testing.T) {
	for _, tc := range []struct {
		env          string
		took         time.Duration
		errors, logs int
	}{
		{"", time.Second, 0, 0}, {"", time.Second + 1, 0, 1}, {"1", time.Second, 0, 0}, {"1", time.Second + 1, 1, 0},
	} {
		t.Setenv(Env, tc.env)
		c := &counting{TB: t}
		if Within(c, "it", tc.took, time.Second); c.errors != tc.errors || c.logs != tc.logs {
			t.Errorf("%q, %v: %d errors, %d logs", tc.env, tc.took, c.errors, c.logs)
		}
	}
}
