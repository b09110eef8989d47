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

// DefaultWait is how long a command waits until its recordings can be read.
const DefaultWait = 30 * time.Second

// Waiting describes the streams and frames of the user's tenant that the server has received and
// that cannot be read yet, at the end of a command that records.
type Waiting struct {
	Known   bool   `json:"known"` // false if the server did not report it
	Streams int    `json:"streams"`
	Frames  uint64 `json:"frames"`
	More    bool   `json:"more"` // Streams and Frames are lower bounds
	// CompleteTo is the arrival of the oldest waiting frame. All earlier frames can be read.
	CompleteTo *time.Time `json:"complete_to"`
}

// Any reports whether some frames cannot be read yet.
func (w *Waiting) Any() bool { return w.Known && (w.Frames > 0 || w.More) }

// unreadable is the answer of GET /v1/waiting.
type unreadable struct {
	AskedAt time.Time `json:"asked_at"`
	query.Completeness
	Streams int `json:"waiting_streams"`
}

// WaitReadable waits until everything that the server has received so far can be read, and returns
// what cannot be read yet. It waits for at most limit; 0 means that it does not wait. The signal
// that ended the recording does not end the wait, but a further signal does. If the server does not
// answer, the recording does not fail.
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
				return Waiting{Known: true, CompleteTo: now.CompleteTo} // the waiting frames arrived later
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

// pause waits for d, and returns false if ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// askAgain returns the delay before the next poll: an eighth of the time waited so far, within
// bounds. This limits both the latency and the load on the server.
func askAgain(waited time.Duration) time.Duration {
	return min(max(waited/8, 20*time.Millisecond), 500*time.Millisecond)
}
