package knownrecordings

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/console"
	"tapedeck/query"
	"tapedeck/query/session/streamlist"
)

// readableTimeout is how long a command waits until a recording can be read.
const readableTimeout = 30 * time.Second

// WaitAll waits until recordings can be read, for at most readableTimeout. The signal that ended
// the recordings does not end the wait; another signal does.
func WaitAll(ctx context.Context, server Server, all []ingest.Summary) {
	again, stop := signal.NotifyContext(context.WithoutCancel(ctx), os.Interrupt, syscall.SIGTERM)
	defer stop()
	again, cancel := context.WithTimeout(again, readableTimeout)
	defer cancel()
	for i := range all {
		if again.Err() != nil {
			return
		}
		waitReadable(again, server, &all[i])
	}
}

// waitReadable waits until the end of a recording can be read, so that the next command sees all of
// it. It reports no error if the server does not answer.
func waitReadable(ctx context.Context, server Server, s *ingest.Summary) {
	c, err := server()
	if err != nil || len(s.Sessions) == 0 {
		return
	}
	if !mayRead(ctx, c) {
		return
	}
	p := console.ShowProgress(func() string { return "waiting until the recording can be read" })
	defer p.End()
	last, began := s.LastSession, time.Now()
	for {
		done, err := streamEnded(ctx, c, last, s.StreamID)
		if done || err != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(askAgain(time.Since(began))):
		}
	}
}

// askAgain returns the pause before the next poll: an eighth of the time that has passed, which
// bounds both the delay and the load on the server.
func askAgain(waited time.Duration) time.Duration {
	return min(max(waited/8, 20*time.Millisecond), 500*time.Millisecond)
}

// streamEnded reports whether a session shows the end of a stream.
func streamEnded(ctx context.Context, c *apiclient.Client, session, stream string) (bool, error) {
	var page query.Page[streamlist.InSession]
	err := c.Get(ctx, "v1/streams", url.Values{"session": {session}, "stream": {stream}}, &page)
	if api, ok := errors.AsType[*apiclient.Error](err); ok && api.Status == http.StatusServiceUnavailable {
		return false, nil
	}
	return len(page.Items) > 0 && page.Items[0].Stream.Ended != nil, err
}
