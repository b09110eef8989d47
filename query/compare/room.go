package compare

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"tapedeck/internal/problem"
)

// room bounds what all comparisons of this process have in memory, by the bytes of their
// sessions. Two of the largest fill it.
var room = semaphore.NewWeighted(2 * sessionBytes)

const (
	frameBytes = 512              // what a frame counts for besides its own bytes: for its steps and rows
	roomWithin = 20 * time.Second // how long a comparison waits for room
)

// seat is the part of the room that one comparison takes.
type seat struct{ bytes int64 }

// take waits for room for some sessions.
func (s *seat) take(ctx context.Context, list []*facts, within time.Duration) error {
	bytes := int64(1 << 20)
	for _, f := range list {
		bytes += int64(min(f.streams.Bytes+f.streams.Frames*frameBytes, sessionBytes))
	}
	bytes = min(bytes, 2*sessionBytes)
	ctx, stop := context.WithTimeoutCause(ctx, within, &problem.Problem{
		Title: "Too many comparisons", Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
		Detail: "This server compares other large sessions at the moment.", Hint: "Try again in a few seconds.",
	})
	defer stop()
	if room.Acquire(ctx, bytes) != nil {
		return context.Cause(ctx)
	}
	s.bytes = bytes
	return nil
}

// leave frees the room.
func (s *seat) leave() { room.Release(s.bytes) }
