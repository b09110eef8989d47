package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/outlet"
	"tapedeck/ingest/tap/file"
	"tapedeck/internal/console"
)

// follow records a growing file until the user interrupts. It stores its position next to the
// spool, so that the next run continues there.
func (c *recordCommand) follow(ctx context.Context, rec *ingest.Recorder, so ingest.StreamOptions) (ingest.Summary, error) {
	home, err := outlet.FollowHome()
	if err != nil {
		return ingest.Summary{}, err
	}
	if _, err := os.Stat(c.Follow); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(console.To(os.Stderr), "waiting for %s to be there; end with Ctrl-C\n", c.Follow)
	}
	return file.Follow(ctx, rec, so, file.FollowOptions{
		Path: c.Follow, StateDir: home, FrameLimit: c.FrameLimit, Log: stderrLog(),
	})
}
