// Command tapedeck-bench measures a tapedeck program on this machine. It writes its results as JSON
// and the page docs/benchmarks*.md that is generated from them. It is a separate program, so that
// the dependencies of the benchmarks are not part of the product.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	"github.com/dustin/go-humanize"

	"tapedeck/internal/local/engine"
	"tapedeck/tools/bench"
	"tapedeck/tools/bench/dataset"
)

// cli is the command line.
type cli struct {
	Measure measureCommand `cmd:"" default:"withargs" help:"Measure recording, storing and playing, and write docs/benchmarks.md."`
	Scale   scaleCommand   `cmd:"" help:"Fill a large data set, or take one that is there, and measure reports and lists on it."`
	Soak    soakCommand    `cmd:"" help:"Record over many connections while others replay, check every frame, and watch memory."`
	Backup  backupCommand  `cmd:"" help:"Fill a data set, back it up, restore and verify it, and write docs/benchmarks-backup.md."`
	Follow  followCommand  `cmd:"" help:"Follow a running session with many clients, with and without busy loops, and write docs/benchmarks-follow.md."`
	Plan    planCommand    `cmd:"" help:"Compute how many machines a load needs, simulate the loss of members, and print the page docs/benchmarks-plan.md."`
	Render  renderCommand  `cmd:"" help:"Write the page of results that were kept as JSON."`
}

// common holds the flags of all measurements.
type common struct {
	Program string `help:"The tapedeck program to measure. Default: the one beside this program, else the one on PATH." placeholder:"FILE" type:"existingfile"`
	JSON    string `help:"Keep the results in this file, for render." placeholder:"FILE" type:"path"`
	Out     string `help:"Write the page to this file as well." placeholder:"FILE" type:"path"`
}

type measureCommand struct {
	common
	Frames   int           `help:"Number of frames to generate; with --quick a tenth." default:"1000000"`
	File     string        `help:"Loom NDJSON with the full envelope to record instead of generated frames." placeholder:"FILE" type:"existingfile"`
	Quick    bool          `help:"Check in a few seconds that the measuring works; the figures mean nothing."`
	Only     []string      `help:"Measure only these parts: ${parts}." placeholder:"PART,…"`
	Stored   int           `help:"Number of frames in the store while sessions are opened; 10 million, with --quick 20,000."`
	Drift    time.Duration `help:"How long a playback is watched for drift; 1m, with --quick 1s." placeholder:"D"`
	Dialects string        `help:"Output of the dialects' Go benchmarks to include in the report." placeholder:"FILE" type:"existingfile"`
	Peer     string        `help:"Directory of the peer's source, to build and measure it as well." placeholder:"DIR" type:"existingdir"`
}

type scaleCommand struct {
	common
	Dir       string `help:"Keep the data set in this directory, or take it from there. Default: a temporary directory, which is removed." placeholder:"DIR" type:"path"`
	Frames    int    `help:"Number of frames, about." default:"100000000"`
	Sessions  int    `help:"Number of sessions. Default: one for 200 frames."`
	Calls     int    `help:"Number of calls of models, about. Default: 13 for 5 sessions."`
	Seed      uint64 `help:"Seed from which the data set is generated." default:"1"`
	DiskLimit string `help:"Size that the data set may have on disk." default:"15GB" placeholder:"SIZE"`
	Requests  int    `help:"How often each request is measured." default:"40"`
}

type soakCommand struct {
	common
	Connections int           `help:"Connections that record at a time." default:"2000"`
	Replays     int           `help:"Replays at a time; half of them follow running sessions." default:"500"`
	For         time.Duration `help:"How long." default:"10m" placeholder:"D"`
	Gap         time.Duration `help:"Time between the frames of a connection." default:"2s" placeholder:"D"`
	Profiles    string        `help:"Write profiles of the server's heap, from the middle and the end, to this folder." placeholder:"DIR" type:"existingdir"`
}

type backupCommand struct {
	common
	Frames int    `help:"Number of frames, about." default:"5000000"`
	Seed   uint64 `help:"Seed from which the data set is generated." default:"1"`
}

type followCommand struct {
	common
	Over      []string      `help:"Transports of the followers to measure: sse, ndjson, websocket." default:"sse,ndjson,websocket" enum:"sse,ndjson,websocket"`
	Followers []int         `help:"Numbers of followers to measure, one after another." default:"1,30,100"`
	Rate      int           `help:"Frames per second of the session." default:"1000"`
	For       time.Duration `help:"How long each measurement takes." default:"10s" placeholder:"D"`
	Loops     int           `help:"Number of busy loops during the measurements under load." default:"4"`
	Profiles  string        `help:"Write profiles of the server's processor time to this folder." placeholder:"DIR" type:"existingdir"`
}

type renderCommand struct {
	Results string `arg:"" help:"JSON file that a measurement kept with --json." type:"existingfile"`
	Out     string `help:"Write the page to this file as well." placeholder:"FILE" type:"path"`
}

func main() {
	engine.RunIfChild()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var c cli
	command := kong.Parse(&c, kong.Name("tapedeck-bench"),
		kong.Description("Measure a tapedeck program on this machine."),
		kong.Vars{"parts": strings.Join(bench.Names(), ", ")}, kong.BindTo(ctx, (*context.Context)(nil)))
	if err := command.Run(); err != nil {
		fmt.Fprintf(os.Stderr, "tapedeck-bench: %v\n", err)
		os.Exit(1)
	}
}

// Run measures the parts and prints the page.
func (c *measureCommand) Run(ctx context.Context) error {
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
	return c.measure(ctx, "bench", "", func(s bench.Setup) (any, error) {
		return result(bench.Run(ctx, bench.Options{
			Setup: s, Frames: c.Frames, File: c.File, Quick: c.Quick, Stored: c.Stored, Drift: c.Drift, Peer: c.Peer, Dialects: c.Dialects, Only: c.Only,
		}))
	})
}

// Run fills the data set if necessary, measures and prints the page.
func (c *scaleCommand) Run(ctx context.Context) error {
	limit, err := humanize.ParseBytes(c.DiskLimit)
	if err != nil {
		return fmt.Errorf("--disk-limit %s: it is no size: write it as 15GB", c.DiskLimit)
	}
	if c.Requests < 1 {
		return fmt.Errorf("--requests %d: it must be at least 1", c.Requests)
	}
	return c.measure(ctx, "scale", c.Dir, func(s bench.Setup) (any, error) {
		data := dataset.Options{Frames: c.Frames, Sessions: c.Sessions, Calls: c.Calls, Seed: c.Seed}
		return result(bench.Scale(ctx, bench.ScaleOptions{Setup: s, Data: data, DiskLimit: limit, Requests: c.Requests}))
	})
}

// Run prints the page. It fails if a frame was lost, an operation failed, or memory grew.
func (c *soakCommand) Run(ctx context.Context) error {
	if c.Connections < 1 || c.Replays < 0 || c.For < time.Second || c.Gap <= 0 || c.Gap > c.For/2 {
		return errors.New("soak: --connections must be 1 or more, --for a second or more, and --gap at most half of it")
	}
	var failure error
	err := c.measure(ctx, "soak", "", func(s bench.Setup) (any, error) {
		r, err := bench.Soak(ctx, bench.SoakOptions{
			Setup: s, Connections: c.Connections, Replays: c.Replays, For: c.For, Gap: c.Gap, Profiles: c.Profiles,
		})
		if err == nil {
			failure = r.Err()
		}
		return result(r, err)
	})
	return errors.Join(err, failure)
}

// Run measures backups and prints the page.
func (c *backupCommand) Run(ctx context.Context) error {
	return c.measure(ctx, "backup", "", func(s bench.Setup) (any, error) {
		return result(bench.Backups(ctx, bench.BackupOptions{Setup: s, Data: dataset.Options{Frames: c.Frames, Seed: c.Seed}}))
	})
}

// Run measures followers and prints the page.
func (c *followCommand) Run(ctx context.Context) error {
	if c.Rate < 1 || c.Rate > 100_000 || c.For < time.Second || c.Loops < 0 || len(c.Followers) == 0 || slices.Min(c.Followers) < 1 {
		return errors.New("follow: --rate must be from 1 to 100000, --for a second or more, --loops 0 or more, " +
			"and each of --followers 1 or more")
	}
	return c.measure(ctx, "follow", "", func(s bench.Setup) (any, error) {
		return result(bench.Follow(ctx, bench.FollowOptions{
			Setup: s, Over: c.Over, Followers: c.Followers, Rate: c.Rate, For: c.For, Loops: c.Loops, Profiles: c.Profiles,
		}))
	})
}

// Run prints the page of kept results.
func (c *renderCommand) Run() error {
	text, err := os.ReadFile(c.Results)
	if err != nil {
		return err
	}
	return render(text, c.Out)
}

// result converts a report and an error to the results that measure expects.
func result[T any](r *T, err error) (any, error) { return r, err }

// measure takes a measurement, writes its results and prints their page. dir is the directory of
// the measurement; with "" it is a temporary one.
func (c *common) measure(ctx context.Context, name, dir string, take func(bench.Setup) (any, error)) (err error) {
	program, version, err := c.program(ctx)
	if err != nil {
		return err
	}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "tapedeck-"+name+"-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	report, err := take(bench.Setup{
		Program: program, Version: version, Dir: dir,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Say: func(text string) { fmt.Fprintln(os.Stderr, text) },
	})
	if err != nil {
		return errors.Join(err, c.keepPart(report))
	}
	text, err := c.keep(report)
	if err != nil {
		return err
	}
	return render(text, c.Out)
}

// keep writes the results, if they are to be kept, and returns them as JSON.
func (c *common) keep(report any) ([]byte, error) {
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil || c.JSON == "" {
		return text, err
	}
	return text, os.WriteFile(c.JSON, append(text, '\n'), 0o644)
}

// keepPart keeps the results of a run of which a part failed, for render. No page is written.
func (c *common) keepPart(report any) error {
	if r, ok := report.(*bench.Report); !ok || r == nil {
		return nil
	}
	_, err := c.keep(report)
	return err
}

// render prints the page of a report, and writes it to a file unless out is "".
func render(text []byte, out string) error {
	var page bytes.Buffer
	if err := bench.Render(&page, text); err != nil {
		return err
	}
	if _, err := os.Stdout.Write(page.Bytes()); err != nil || out == "" {
		return err
	}
	return os.WriteFile(out, page.Bytes(), 0o644)
}

// program returns the path of the program to measure, and its version.
func (c *common) program(ctx context.Context) (path, version string, err error) {
	if path, err = c.path(); err != nil {
		return "", "", err
	}
	out, err := exec.CommandContext(ctx, path, "version", "--json").Output()
	var printed struct {
		Version string `json:"version"`
	}
	if err == nil {
		err = json.Unmarshal(out, &printed)
	}
	if err != nil {
		return "", "", fmt.Errorf("read the version of %s: %w", path, err)
	}
	return path, printed.Version, nil
}

// path returns the path of the program to measure.
func (c *common) path() (string, error) {
	if c.Program != "" {
		return filepath.Abs(c.Program)
	}
	own, err := os.Executable()
	if err != nil {
		return "", err
	}
	beside := filepath.Join(filepath.Dir(own), "tapedeck")
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
		return beside, nil
	}
	found, err := exec.LookPath("tapedeck")
	if err != nil {
		return "", fmt.Errorf("find the tapedeck program to measure: %w; build it with \"make build\", or name it with --program", err)
	}
	return filepath.Abs(found)
}
