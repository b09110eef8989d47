package settings

import (
	"testing"
	"time"
)

// The times of clients are set where the server reads them.
func TestSetSlow(t *testing.T) {
	before := Quotas{WriteTimeout: time.Second, BodyTimeout: 2 * time.Second, PlaybackLag: 3 * time.Second}
	limits := before.Slow()
	after := Quotas{WriteTimeout: 4 * time.Second, BodyTimeout: 5 * time.Second, PlaybackLag: 6 * time.Second}
	after.setSlow(limits)
	for name, c := range map[string]struct {
		got  time.Duration
		want time.Duration
	}{
		"write": {limits.Write.Or(0), 4 * time.Second}, "body": {limits.Body.Or(0), 5 * time.Second}, "lag": {limits.Lag.Or(0), 6 * time.Second},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}
