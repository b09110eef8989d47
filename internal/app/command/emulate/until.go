package emulate

import (
	"context"
	"io"
	"os"
	"time"
)

// parentEvery is how often a process checks whether its parent is running.
const parentEvery = 200 * time.Millisecond

// Until ends the context at an event: "stdin" when in is closed, "parent" when the parent process
// has ended, "" never. stop ends the watch, but not a pending read of in.
func Until(ctx context.Context, event string, in io.Reader) (watched context.Context, stop func()) {
	ctx, stop = context.WithCancel(ctx)
	switch event {
	case "stdin":
		go func() {
			_, _ = io.Copy(io.Discard, in) // an error also means that the caller has ended
			stop()
		}()
	case "parent":
		parent := os.Getppid()
		go func() {
			tick := time.NewTicker(parentEvery)
			defer tick.Stop()
			for os.Getppid() == parent {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
			}
			stop()
		}()
	}
	return ctx, stop
}
