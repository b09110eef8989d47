package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tapedeck/ingest"
	"tapedeck/ingest/file"
	"tapedeck/internal/console"
)

// follow records a growing file until the user interrupts. Where it stopped is
// kept beside the spool, so that the next run goes on there.
func (c *recordCommand) follow(ctx context.Context, rec *ingest.Recorder, so ingest.StreamOptions) (ingest.Summary, error) {
	home, err := spoolHome()
	if err != nil {
		return ingest.Summary{}, fmt.Errorf("where to keep how far the file was recorded: %w", err)
	}
	if _, err := os.Stat(c.Follow); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(console.To(os.Stderr), "waiting for %s to be there; end with Ctrl-C\n", c.Follow)
	}
	return file.Follow(ctx, rec, so, file.FollowOptions{
		Path: c.Follow, StateDir: filepath.Join(filepath.Dir(home), "follow"), FrameLimit: c.FrameLimit, Log: stderrLog(),
	})
}
