package redecode

import (
	"regexp"
	"testing"
	"time"
)

// Progress has the sessions that are passed, the rate, and the time that is left.
func TestProgress(t *testing.T) {
	r := &Outdated{began: time.Now().Add(-10 * time.Second)}
	r.total = count{4, 5000}
	if got := r.Progress(); got != "0 of 4 outdated sessions" {
		t.Error(got)
	}
	r.passed, r.decoded = count{2, 2000}, count{1, 1000}
	if got := r.Progress(); !regexp.MustCompile(`^2 of 4 outdated sessions, (100|99) frames/s, about 30s left$`).MatchString(got) {
		t.Error(got)
	}
}
