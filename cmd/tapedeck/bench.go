package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"tapedeck/deploy/bench"
)

// benchCommand measures this program on this machine.
type benchCommand struct {
	Frames   int           `help:"How many frames to generate; with --quick a tenth." default:"1000000"`
	File     string        `help:"Loom NDJSON, with the full envelope, to record instead of generated frames." placeholder:"FILE" type:"existingfile"`
	Out      string        `help:"Write the report to this file, too." placeholder:"FILE" type:"path"`
	Quick    bool          `help:"See in a few seconds that the measuring works; the figures mean nothing."`
	Only     []string      `help:"Measure these parts alone: whole, tap, publish, durability, sink, disk, delay, proxy, streams, playing, openings, drift, dialects, peer." placeholder:"PART,…"`
	Stored   int           `help:"How many frames the store has while sessions are opened; 10 million, with --quick 20,000."`
	Drift    time.Duration `help:"How long to watch whether a playback drifts; 1m, with --quick 1s." placeholder:"D"`
	Dialects string        `help:"Output of the dialects' Go benchmarks, to put into the report." placeholder:"FILE" type:"existingfile"`
	Peer     string        `help:"Directory of the peer's source, to build and measure it as well." placeholder:"DIR" type:"existingdir"`
}

// Run measures and prints the report.
func (c *benchCommand) Run(ctx context.Context) (err error) {
	for _, name := range c.Only {
		if names := bench.Names(); !slices.Contains(names, name) {
			return badUsage("--only %s: there is no such part; the parts are %s", name, strings.Join(names, ", "))
		}
	}
	if c.Frames < 1 {
		return badUsage("--frames %d: it must be at least 1", c.Frames)
	}
	if c.Quick {
		c.Frames = max(c.Frames/10, 1)
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tapedeck-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r, err := bench.Run(ctx, bench.Options{
		Program: program, Version: version, Dir: dir, Frames: c.Frames, File: c.File, Quick: c.Quick,
		Stored: c.Stored, Drift: c.Drift, Peer: c.Peer, Dialects: c.Dialects, Only: c.Only, Log: stderrLog(),
		Say: func(text string) { fmt.Fprintln(os.Stderr, text) },
	})
	if err != nil {
		return err
	}
	if err := r.Write(os.Stdout); err != nil || c.Out == "" {
		return err
	}
	f, err := os.Create(c.Out)
	if err != nil {
		return err
	}
	return errors.Join(r.Write(f), f.Close())
}
