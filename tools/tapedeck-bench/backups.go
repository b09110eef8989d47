package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"tapedeck/tools/bench"
	"tapedeck/tools/bench/dataset"
)

// backupCommand measures backups and restores.
type backupCommand struct {
	measured
	Frames int    `help:"Number of frames, about." default:"5000000"`
	Seed   uint64 `help:"What the data set is generated from." default:"1"`
	Out    string `help:"Write the report to this file as well." placeholder:"FILE" type:"path"`
}

// Run fills a data set, measures and prints the report.
func (c *backupCommand) Run(ctx context.Context) (err error) {
	program, version, err := c.program(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tapedeck-backup-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r, err := bench.Backups(ctx, bench.BackupOptions{
		Program: program, Version: version, Dir: dir, Data: dataset.Options{Frames: c.Frames, Seed: c.Seed},
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Say: func(text string) { fmt.Fprintln(os.Stderr, text) },
	})
	if err != nil {
		return err
	}
	return write(r, c.Out)
}
