package emulate

import (
	"context"
	"time"
)

// holdEvery is the pause between two questions of hold.
const holdEvery = time.Minute

// hold calls ask again and again until ctx ends. The server answers from what it keeps of the session, and
// reads it again if it has left the memory, so that requests of clients need not wait for that. Errors
// are ignored: the next request of a client shows them.
func hold(ctx context.Context, ask func(context.Context) error) {
	tick := time.NewTicker(holdEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = ask(ctx)
		}
	}
}
