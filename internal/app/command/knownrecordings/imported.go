package knownrecordings

import (
	"context"
	"errors"
	"slices"
	"time"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/tapeimport"
	"tapedeck/internal/console"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/session/sessiondetail"
)

// WaitImported waits until the sessions can be read, for at most some seconds each.
func WaitImported(ctx context.Context, server Server, sessions []*tapeimport.Session) {
	c, err := server()
	if err != nil {
		return
	}
	if !mayRead(ctx, c) {
		return
	}
	p := console.ShowProgress(func() string { return "waiting until the sessions can be read" })
	defer p.End()
	for _, s := range sessions {
		if !s.Empty() {
			waitSession(ctx, c, s)
		}
	}
}

// waitSession waits until the server returns the imported frames and the end of a session.
func waitSession(ctx context.Context, c *apiclient.Client, to *tapeimport.Session) {
	ctx, cancel := context.WithTimeout(ctx, readableTimeout)
	defer cancel()
	for {
		var detail sessiondetail.Detail
		err := c.Get(ctx, apiclient.SessionPath(to.ID), nil, &detail)
		if _, answered := errors.AsType[*apiclient.Error](err); err != nil && !answered || err == nil && shownBy(to, &detail) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// shownBy reports whether an answer about a session includes everything that was imported. The
// session may have been recorded before, with an end and fewer frames.
func shownBy(to *tapeimport.Session, detail *sessiondetail.Detail) bool {
	stream, at, ended := to.Ended()
	return detail.Frames >= to.Frames && (!ended || slices.ContainsFunc(detail.Streams, func(s sessionstreams.Stream) bool {
		return s.ID == stream && s.Ended != nil && !s.Ended.Before(time.Unix(0, at).Truncate(time.Microsecond))
	}))
}
