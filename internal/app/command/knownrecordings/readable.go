package knownrecordings

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/console"
	"tapedeck/query"
)

// DefaultWait is how long a command waits for its recordings to be readable.
const DefaultWait = 30 * time.Second

// Waiting says what of the user's tenant the server has received and nobody can read yet, at the end of
// a command that records.
type Waiting struct {
	Known   bool   `json:"known"` // false: the server did not say
	Streams int    `json:"streams"`
	Frames  uint64 `json:"frames"`
	More    bool   `json:"more"` // Streams and Frames are the least
	// CompleteTo is when the oldest of them was received; all before it can be read.
	CompleteTo *time.Time `json:"complete_to"`
}

// Any reports whether something cannot be read yet.
func (w *Waiting) Any() bool { return w.Known && (w.Frames > 0 || w.More) }

// unreadable is the answer of GET /v1/waiting.
type unreadable struct {
	AskedAt time.Time `json:"asked_at"`
	query.Completeness
	Streams int `json:"waiting_streams"`
}

// WaitReadable waits until all that the server has received so far can be read, for a limit at most, 0 for
// no wait, and returns what cannot. The signal that ended the recording does not end the wait; another one
// does. A server that does not answer does not make the recording fail.
func WaitReadable(ctx context.Context, server Server, limit time.Duration) Waiting {
	again, stop := signal.NotifyContext(context.WithoutCancel(ctx), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c, err := server()
	if err != nil {
		return Waiting{}
	}
	p := console.ShowProgress(func() string { return "waiting until the recording can be read" })
	defer p.End()
	began := time.Now()
	var first time.Time // by the server's clock
	latest := Waiting{}
	for {
		var now unreadable
		err := ask(again, c, &now)
		unavailable, answered := errors.AsType[*apiclient.Error](err)
		switch {
		case answered && unavailable.Status == http.StatusServiceUnavailable:
		case err != nil:
			return latest
		default:
			if first.IsZero() {
				first = now.AskedAt
			}
			latest = now.waiting()
			if now.CompleteTo != nil && !now.CompleteTo.Before(first) {
				return Waiting{Known: true, CompleteTo: now.CompleteTo} // what waits came later
			}
		}
		if time.Since(began) >= limit || !pause(again, askAgain(time.Since(began))) {
			return latest
		}
	}
}

func ask(ctx context.Context, c *apiclient.Client, into *unreadable) error {
	asking, cancel := context.WithTimeout(ctx, lookUpTimeout)
	defer cancel()
	return c.Get(asking, "v1/waiting", nil, into)
}

func (u *unreadable) waiting() Waiting {
	w := Waiting{Known: u.CompleteTo != nil, Streams: u.Streams, More: u.WaitingMore, CompleteTo: u.CompleteTo}
	if u.WaitingFrames != nil {
		w.Frames = *u.WaitingFrames
	}
	return w
}

// pause waits, and reports whether ctx goes on.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// askAgain returns the pause before the next poll: an eighth of the time waited so far,
// which bounds both the delay and the load on the server.
func askAgain(waited time.Duration) time.Duration {
	return min(max(waited/8, 20*time.Millisecond), 500*time.Millisecond)
}
