package settings

import (
	"strings"
	"testing"
	"time"
)

// An idle time above the life of a login is refused with and without tokens.
func TestLoginTimes(t *testing.T) {
	for _, tokens := range []bool{false, true} {
		f := Logins{LoginLife: time.Hour, LoginIdle: 2 * time.Hour}
		if _, err := f.LoginSettings(tokens); err == nil || !strings.Contains(err.Error(), "--login-idle 2h0m0s is above --login-life 1h0m0s") {
			t.Errorf("tokens %t: %v", tokens, err)
		}
		f.LoginIdle = time.Hour
		if _, err := f.LoginSettings(tokens); err != nil {
			t.Errorf("tokens %t: %v", tokens, err)
		}
	}
}
