package main

import (
	"context"
	"fmt"
	"os"

	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/app/lifecycle/backup"
)

// backupList lists the backups that a server has begun since its start.
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
	return printers.Backups(os.Stdout, page.Items)
}
