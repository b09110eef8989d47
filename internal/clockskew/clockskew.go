// Package clockskew compares this machine's clock with the clock of a server that answers a
// request.
package clockskew

import (
	"fmt"
	"net/http"
	"time"
)

// Most is the difference up to which clocks count as equal, the default of --max-clock-skew.
const Most = 30 * time.Second

// Do describes what to do about clocks that differ.
const Do = "set the clock that is wrong by a time service: the times of recorded frames are wrong by as much"

// OfAnswer returns by how much the clock of a server is ahead of this machine's clock. It uses the
// date of the answer to a request that began at a time; without a date it returns 0.
func OfAnswer(resp *http.Response, began time.Time) time.Duration {
	at, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return 0
	}
	return Between(at.Add(time.Second/2), began) // the date has whole seconds
}

// Between returns by how much a server's time is ahead of this machine's time, if the server read
// it between began and now.
func Between(server, began time.Time) time.Duration {
	return server.Sub(began.Add(time.Since(began) / 2).Round(0))
}

// Describe describes the difference of a server's clock, "" if the clocks count as equal.
func Describe(ahead time.Duration) string {
	switch {
	case ahead > Most:
		return fmt.Sprintf("the clock of this machine is %v behind the server's", ahead.Round(time.Second))
	case ahead < -Most:
		return fmt.Sprintf("the clock of this machine is %v ahead of the server's", -ahead.Round(time.Second))
	}
	return ""
}
