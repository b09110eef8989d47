package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"tapedeck/tools/bench"
)

// soakCommand records and replays at once, for a while.
type soakCommand struct {
	measured
	Connections int           `help:"Connections that record at a time." default:"2000"`
	Replays     int           `help:"Replays at a time; half of them follow running sessions." default:"500"`
	For         time.Duration `help:"How long." default:"10m" placeholder:"D"`
	Gap         time.Duration `help:"Time between the frames of a connection." default:"2s" placeholder:"D"`
	Profiles    string        `help:"Write profiles of the server's heap, from the middle and the end, to this folder." placeholder:"DIR" type:"existingdir"`
	Out         string        `help:"Write the report to this file as well." placeholder:"FILE" type:"path"`
}

// Run prints a report. It fails if a frame was lost, something failed, or memory grew.
func (c *soakCommand) Run(ctx context.Context) (err error) {
	if c.Connections < 1 || c.Replays < 0 || c.For < time.Second || c.Gap <= 0 || c.Gap > c.For/2 {
		return errors.New("soak: --connections must be 1 or more, --for a second or more, and --gap at most half of it")
	}
	program, version, err := c.program(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tapedeck-soak-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r, err := bench.Soak(ctx, bench.SoakOptions{
		Program: program, Version: version, Dir: dir, Connections: c.Connections, Replays: c.Replays, For: c.For, Gap: c.Gap, Profiles: c.Profiles,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Say: func(text string) { fmt.Fprintln(os.Stderr, text) },
	})
	if err != nil {
		return err
	}
	return errors.Join(write(r, c.Out), r.Err())
}
