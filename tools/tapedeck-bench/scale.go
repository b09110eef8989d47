package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/dustin/go-humanize"

	"tapedeck/tools/bench"
	"tapedeck/tools/bench/dataset"
)

// scaleCommand measures on a large data set.
type scaleCommand struct {
	measured
	Dir       string `help:"Keep the data set in this directory, or take it from there. Default: a temporary directory, which is removed." placeholder:"DIR" type:"path"`
	Frames    int    `help:"Number of frames, about." default:"100000000"`
	Sessions  int    `help:"Number of sessions. Default: one for 200 frames."`
	Calls     int    `help:"Number of calls of models, about. Default: 13 for 5 sessions."`
	Seed      uint64 `help:"What the data set is generated from." default:"1"`
	DiskLimit string `help:"What the data set may take on disk." default:"15GB" placeholder:"SIZE"`
	Requests  int    `help:"How often each request is measured." default:"40"`
	Out       string `help:"Write the report to this file as well." placeholder:"FILE" type:"path"`
}

// Run fills the data set if need be, measures and prints the report.
func (c *scaleCommand) Run(ctx context.Context) (err error) {
	limit, err := humanize.ParseBytes(c.DiskLimit)
	if err != nil {
		return fmt.Errorf("--disk-limit %s: it is no size: write it as 15GB", c.DiskLimit)
	}
	if c.Requests < 1 {
		return fmt.Errorf("--requests %d: it must be at least 1", c.Requests)
	}
	program, version, err := c.program(ctx)
	if err != nil {
		return err
	}
	dir := c.Dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "tapedeck-scale-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	r, err := bench.Scale(ctx, bench.ScaleOptions{
		Program: program, Version: version, Dir: dir, DiskLimit: limit, Requests: c.Requests,
		Data: dataset.Options{Frames: c.Frames, Sessions: c.Sessions, Calls: c.Calls, Seed: c.Seed},
		Log:  slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Say:  func(text string) { fmt.Fprintln(os.Stderr, text) },
	})
	if err != nil {
		return err
	}
	return write(r, c.Out)
}
