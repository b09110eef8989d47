package statusline

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/calendar"
	"tapedeck/query/facts/accountlimits"
	"tapedeck/query/pricing/cost"
)

// Getter requests an object of the API.
type Getter interface {
	Get(ctx context.Context, path string, q url.Values, v any) error
}

// used is the part of an answer that the line shows.
type used struct {
	Totals cost.UsageTotals      `json:"totals"`
	Limits []accountlimits.Limit `json:"limits"` // of a session's account
}

// Ask asks a server for the usage of a session and for that of today in now's time zone. It
// waits until ctx ends; what did not arrive until then is missing.
func Ask(ctx context.Context, server Getter, session string, now time.Time) *Recorded {
	r := &Recorded{}
	var both sync.WaitGroup
	if session != "" {
		both.Go(func() {
			var of used
			if server.Get(ctx, apiclient.SessionPath(session), nil, &of) == nil { // otherwise the stated cost is shown
				r.Session, r.Limits = &of.Totals, of.Limits
			}
		})
	}
	both.Go(func() {
		var of used
		q := url.Values{"from": {calendar.DayOf(now).UTC().Format(time.RFC3339)}}
		if err := server.Get(ctx, "v1/usage", q, &of); err != nil {
			r.Away = reason(ctx, err)
			return
		}
		r.Today = &of.Totals
	})
	both.Wait()
	return r
}

// reason says in a few words why a server did not answer.
func reason(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return "server slow"
	}
	if answer, ok := errors.AsType[*apiclient.Error](err); ok {
		return fmt.Sprintf("server answers %d", answer.Status)
	}
	return "server away"
}
