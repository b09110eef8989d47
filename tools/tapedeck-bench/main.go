// Command tapedeck-bench measures a tapedeck program on this machine and writes
// docs/benchmarks.md. It is a separate program, so that the dependencies of the
// benchmarks are not part of the product.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"tapedeck/internal/local/engine"
	"tapedeck/tools/bench"
)

// cli is the command line.
type cli struct {
	Measure measureCommand `cmd:"" default:"withargs" help:"Measure recording, storing and playing, and write docs/benchmarks.md."`
	Scale   scaleCommand   `cmd:"" help:"Fill a large data set, or take one that is there, and measure reports and lists on it."`
	Soak    soakCommand    `cmd:"" help:"Record over many connections while others replay, check every frame, and watch memory."`
	Backup  backupCommand  `cmd:"" help:"Fill a data set, back it up, restore and verify it, and write docs/benchmarks-backup.md."`
}

// measured names the program to measure.
type measured struct {
	Program string `help:"The tapedeck program to measure. Default: the one beside this program, else the one on PATH." placeholder:"FILE" type:"existingfile"`
}

// measureCommand measures everything but what takes a large data set.
type measureCommand struct {
	measured
	Frames   int           `help:"Number of frames to generate; with --quick a tenth." default:"1000000"`
	File     string        `help:"Loom NDJSON with the full envelope to record instead of generated frames." placeholder:"FILE" type:"existingfile"`
	Out      string        `help:"Write the report to this file as well." placeholder:"FILE" type:"path"`
	Quick    bool          `help:"Check in a few seconds that the measuring works; the figures mean nothing."`
	Only     []string      `help:"Measure only these parts: whole, redaction, tap, publish, durability, sink, disk, delay, proxy, streams, playing, openings, drift, dialects, peer." placeholder:"PART,…"`
	Stored   int           `help:"Number of frames in the store while sessions are opened; 10 million, with --quick 20,000."`
	Drift    time.Duration `help:"How long a playback is watched for drift; 1m, with --quick 1s." placeholder:"D"`
	Dialects string        `help:"Output of the dialects' Go benchmarks to include in the report." placeholder:"FILE" type:"existingfile"`
	Peer     string        `help:"Directory of the peer's source, to build and measure it as well." placeholder:"DIR" type:"existingdir"`
}

func main() {
	engine.RunIfChild()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var c cli
	command := kong.Parse(&c, kong.Name("tapedeck-bench"), kong.Description("Measure a tapedeck program on this machine."),
		kong.BindTo(ctx, (*context.Context)(nil)))
	if err := command.Run(); err != nil {
		fmt.Fprintf(os.Stderr, "tapedeck-bench: %v\n", err)
		os.Exit(1)
	}
}

// Run measures and prints the report.
func (c *measureCommand) Run(ctx context.Context) (err error) {
	for _, name := range c.Only {
		if names := bench.Names(); !slices.Contains(names, name) {
			return fmt.Errorf("--only %s: there is no such part; the parts are %s", name, strings.Join(names, ", "))
		}
	}
	if c.Frames < 1 {
		return fmt.Errorf("--frames %d: it must be at least 1", c.Frames)
	}
	if c.Quick {
		c.Frames = max(c.Frames/10, 1)
	}
	program, version, err := c.program(ctx)
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
		Stored: c.Stored, Drift: c.Drift, Peer: c.Peer, Dialects: c.Dialects, Only: c.Only,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Say: func(text string) { fmt.Fprintln(os.Stderr, text) },
	})
	if err != nil {
		return err
	}
	return write(r, c.Out)
}

// write prints a report, and writes it to a file if that is not "".
func write(r interface{ Write(io.Writer) error }, out string) error {
	if err := r.Write(os.Stdout); err != nil || out == "" {
		return err
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	return errors.Join(r.Write(f), f.Close())
}

// program returns the path of the program to measure, and its version.
func (c *measured) program(ctx context.Context) (path, version string, err error) {
	if path, err = c.path(); err == nil {
		version, err = versionOf(ctx, path)
	}
	return path, version, err
}

// path returns the path of the program to measure.
func (c *measured) path() (string, error) {
	if c.Program != "" {
		return filepath.Abs(c.Program)
	}
	own, err := os.Executable()
	if err != nil {
		return "", err
	}
	if beside := filepath.Join(filepath.Dir(own), "tapedeck"); isFile(beside) {
		return beside, nil
	}
	found, err := exec.LookPath("tapedeck")
	if err != nil {
		return "", fmt.Errorf("find the tapedeck program to measure: %w; build it with \"make build\", or name it with --program", err)
	}
	return filepath.Abs(found)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// versionOf returns the version that a tapedeck program prints.
func versionOf(ctx context.Context, program string) (string, error) {
	out, err := exec.CommandContext(ctx, program, "version", "--json").Output()
	var printed struct {
		Version string `json:"version"`
	}
	if err == nil {
		err = json.Unmarshal(out, &printed)
	}
	if err != nil {
		return "", fmt.Errorf("read the version of %s: %w", program, err)
	}
	return printed.Version, nil
}
