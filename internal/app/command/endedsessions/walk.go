// Package endedsessions lists the sessions of a server that have ended, from a position on, for commands that copy
// each of them to another place again and again.
package endedsessions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"time"

	"tapedeck/internal/apiclient"
	"tapedeck/query/facts/sessionhead"
)

const (
	// Overlap is how far before its position a walk looks for sessions again: clocks of recorders differ.
	Overlap = 24 * time.Hour
	// pageSize is the number of sessions on a page of the list.
	pageSize = 500
)

// ErrMissing is returned while the server's lists do not have all sessions.
var ErrMissing = errors.New("the server cannot read a part of its data (missing_shards): nothing is copied until it can")

// errEnough ends a walk at a session without frames since the position.
var errEnough = errors.New("the other sessions were seen before")

// Walk calls see for each session that has ended and has frames since Overlap before the position, the latest frame
// first. see reports whether the session is done with. Walk returns the next position: the time before which all
// sessions are done with, unless they are recorded later; and the number of sessions that have not ended. A zero
// position means all sessions.
func Walk(ctx context.Context, c *apiclient.Client, position, now time.Time, see func(*sessionhead.Summary) (done bool, err error)) (next time.Time, open int, err error) {
	if err := whole(ctx, c); err != nil {
		return position, 0, err
	}
	var since, latest, undone time.Time
	if !position.IsZero() {
		since = position.Add(-Overlap)
	}
	_, err = c.Pages(ctx, "v1/sessions", url.Values{"sort": {"-last_at"}}, math.MaxInt, pageSize, func(text json.RawMessage) error {
		var s sessionhead.Summary
		if err := json.Unmarshal(text, &s); err != nil {
			return fmt.Errorf("read the list of sessions: %w", err)
		}
		if s.LastAt.Before(since) {
			return errEnough
		}
		if latest.IsZero() {
			if latest = s.LastAt; latest.After(now) { // a recorder's clock is ahead
				latest = now
			}
		}
		done := false
		if s.Status == sessionhead.Running || s.Status == sessionhead.Quiet {
			open++
		} else {
			var err error
			if done, err = see(&s); err != nil {
				return err
			}
		}
		if !done && (undone.IsZero() || s.LastAt.Before(undone)) {
			undone = s.LastAt
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err == nil {
		err = whole(ctx, c)
	}
	if err != nil || latest.IsZero() {
		return position, open, err
	}
	if next = latest; !undone.IsZero() && undone.Before(latest) {
		next = undone
	}
	if next.Before(position) { // the session that is not done with is in the overlap, and stays there
		next = position
	}
	return next, open, nil
}

// whole checks that the server's lists have all sessions.
func whole(ctx context.Context, c *apiclient.Client) error {
	var page struct {
		Missing []json.RawMessage `json:"missing_shards"`
	}
	err := c.Get(ctx, "v1/sessions", url.Values{"limit": {"1"}}, &page)
	if err == nil && len(page.Missing) > 0 {
		err = ErrMissing
	}
	return err
}
