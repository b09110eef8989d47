package clockskew

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestOfAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			ahead     time.Duration
			date      bool
			says, end string // what is between depends on the half second of a date
		}{
			{3*time.Minute + 10*time.Second, true, "the clock of this machine is 3m1", "behind the server's"},
			{-2*time.Hour - 5*time.Minute, true, "the clock of this machine is 2h5m", "ahead of the server's"},
			{29 * time.Second, true, "", ""},
			{-29 * time.Second, true, "", ""},
			{time.Hour, false, "", ""},
		} {
			began := time.Now()
			time.Sleep(4 * time.Second) // the request and its answer
			answer := httptest.NewRecorder()
			if c.date {
				answer.Header().Set("Date", began.Add(c.ahead+2*time.Second).UTC().Format(http.TimeFormat))
			}
			ahead := OfAnswer(answer.Result(), began)
			if c.date && (ahead-c.ahead).Abs() > time.Second || !c.date && ahead != 0 {
				t.Errorf("%v: %v", c.ahead, ahead)
			}
			if said := Describe(ahead); !strings.HasPrefix(said, c.says) || !strings.HasSuffix(said, c.end) || (said == "") != (c.says == "") {
				t.Errorf("%v: %q, want %q … %q", c.ahead, said, c.says, c.end)
			}
		}
	})
}
