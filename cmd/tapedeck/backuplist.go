package main

import (
	"context"
	"fmt"
	"os"

	"tapedeck/deploy/backup"
	"tapedeck/internal/console"
)

// backupList lists the backups that a server made since it was started.
type backupList struct{}

// Run lists the backups.
func (c *backupList) Run(ctx context.Context, g *global) error {
	var page struct{ Items []backup.Status }
	if done, err := g.fetch(ctx, "v1/backups", nil, &page); done || err != nil {
		return err
	}
	if len(page.Items) == 0 {
		fmt.Fprintln(os.Stderr, "The server made no backup since it was started.")
		return nil
	}
	t := console.NewTable(os.Stdout, "started", "backup", "base", "state", "sessions", "frames", "bytes", "error")
	for i := range page.Items {
		b := &page.Items[i]
		sessions, frames := "", ""
		if b.Manifest != nil {
			sessions, frames = fmt.Sprint(b.Manifest.Sessions), fmt.Sprint(b.Manifest.Frames)
		}
		t.Row(console.LocalTime(b.StartedAt), b.To, b.Base, string(b.State), sessions, frames, console.Bytes(b.Progress.Bytes), b.Error)
	}
	return t.Flush()
}
