package main

import (
	"context"
	"io"
	"os"
	"time"
)

// parentEvery is how often a process checks whether its parent is running.
const parentEvery = 200 * time.Millisecond

// watch ends the context at the event in --exit-with. stop ends the
// watch, but not a read of standard input.
func (c *emulateCommand) watch(ctx context.Context) (watched context.Context, stop func()) {
	ctx, stop = context.WithCancel(ctx)
	switch c.ExitWith {
	case "stdin":
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // an error also means that the caller has ended
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
