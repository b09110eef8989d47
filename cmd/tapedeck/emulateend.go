package main

import (
	"context"
	"io"
	"os"
	"time"
)

// parentEvery is how often a process looks whether its parent is there.
const parentEvery = 200 * time.Millisecond

// watch ends the context when what --exit-with names has come. stop ends the
// watch, but not a read of standard input.
func (c *emulateCommand) watch(ctx context.Context) (watched context.Context, stop func()) {
	ctx, stop = context.WithCancel(ctx)
	switch c.ExitWith {
	case "stdin":
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // however it ends, the caller is gone
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
