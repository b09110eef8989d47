package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"tapedeck/ingest"
	"tapedeck/query"
)

// readableTimeout is how long a command waits for a recording to be readable.
const readableTimeout = 30 * time.Second

// waitReadable waits until the end of a recording can be read, so that the next
// command sees all of it. A server that cannot be asked does not make the
// recording fail.
func waitReadable(ctx context.Context, g *global, s *ingest.Summary) {
	c, err := g.client()
	if err != nil || len(s.Sessions) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, readableTimeout)
	defer cancel()
	p := showProgress(func() string { return "waiting until the recording can be read" })
	defer p.end()
	last := s.LastSession
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 500*time.Millisecond) {
		done, err := streamEnded(ctx, c, last, s.StreamID)
		if done || err != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// streamEnded reports whether a session shows the end of a stream.
func streamEnded(ctx context.Context, c *apiClient, session, stream string) (bool, error) {
	var detail query.SessionDetail
	err := c.get(ctx, sessionPath(session), nil, &detail)
	var api *apiError
	if errors.As(err, &api) && (api.Status == http.StatusNotFound || api.Status == http.StatusServiceUnavailable) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, st := range detail.Streams {
		if st.ID == stream && st.Ended != nil {
			return true, nil
		}
	}
	return false, nil
}
