package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/dustin/go-humanize"

	"tapedeck/tools/bench/dataset"
)

// BackupOptions configures the measurement of backups.
type BackupOptions struct {
	Program, Version string
	Dir              string // empty; the caller removes it
	Data             dataset.Options
	Log              *slog.Logger
	Say              func(text string)
}

// BackupReport is the outcome of Backups.
type BackupReport struct {
	Version, Go string
	When        time.Time
	Machine     Machine
	Frames      uint64
	Sessions    int
	Bytes       int64 // of the full backup
	Full, Next  time.Duration
	Restore     time.Duration
	Verify      time.Duration
}

// Bars of a restore of 5 million frames.
const (
	restoreBar = 3 * time.Minute
	restoreAim = time.Minute
)

// Backups fills a data set, and measures the commands backup, restore and verify from their
// start to their end.
func Backups(ctx context.Context, o BackupOptions) (_ *BackupReport, err error) {
	if o.Data, err = o.Data.WithDefaults(); err != nil {
		return nil, err
	}
	r := &BackupReport{Version: o.Version, Go: runtime.Version(), When: time.Now(), Machine: thisMachine(o.Dir), Sessions: o.Data.Sessions}
	s := &scale{ScaleOptions: ScaleOptions{Dir: o.Dir, Data: o.Data, Log: o.Log, Say: o.Say}}
	err = s.start(ctx)
	if err == nil {
		err = s.fill(ctx)
	}
	if err == nil {
		err = s.settleUsage(ctx)
	}
	if err == nil {
		err = s.db.conn.QueryRow(ctx, "SELECT count() FROM frames").Scan(&r.Frames)
	}
	if err = errors.Join(err, s.stop(context.WithoutCancel(ctx))); err != nil {
		return nil, err
	}
	data := filepath.Join(o.Dir, "servers")
	up, err := startServer(ctx, o.Program, o.Dir, nil, "up", "--listen", "127.0.0.1:0", "--data", data)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, up.stop()) }()
	timed := func(took *time.Duration, args ...string) error {
		o.Say(args[0] + " …")
		began := time.Now()
		c, err := start(o.Program, o.Dir, nil, nil, nil, args...)
		if err != nil {
			return err
		}
		select {
		case <-c.done:
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), c.stop())
		}
		*took = time.Since(began)
		if c.err != nil {
			return fmt.Errorf("%s: %w\n%s", args[0], c.err, c.log)
		}
		return nil
	}
	backups := filepath.Join(data, "backups")
	err = timed(&r.Full, "backup", "full", "--server", up.url)
	if err == nil {
		err = timed(&r.Next, "backup", "next", "--base", "full", "--server", up.url)
	}
	if err == nil {
		err = timed(&r.Restore, "restore", "next", "--data", filepath.Join(o.Dir, "restored"), "--backups", backups)
	}
	if err == nil {
		err = timed(&r.Verify, "verify", "full", "--backups", backups)
	}
	if err != nil {
		return nil, err
	}
	err = filepath.Walk(filepath.Join(backups, "full"), func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			r.Bytes += info.Size()
		}
		return err
	})
	return r, err
}

// Write writes the report as Markdown.
func (r *BackupReport) Write(w io.Writer) error {
	seconds := func(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
	verdict := func(bar time.Duration) string {
		if r.Restore <= bar {
			return "reached"
		}
		return "not reached"
	}
	_, err := fmt.Fprintf(w, `# Benchmarks of backups

Written by `+"`make bench-backup`"+` on %s: tapedeck %s, %s, %s/%s; %d cores, %s of memory, a disk of %s.

%s frames of %s sessions in local mode. Each command is timed from its start to its end, with the start of ClickHouse
for `+"`restore` and `verify`"+`. Both compare every session with the manifest. The full backup takes %s.

| what | bar | here | |
|---|---:|---:|---|
| restore of 5 million frames, verified | ≤ 3 min | %s | %s |
| restore of 5 million frames, verified: the aim | ≤ 1 min | %s | %s |

| command | time |
|---|---:|
| backup, full, with the hash of every session | %s |
| backup, incremental, without new frames | %s |
| restore of the incremental one | %s |
| verify of the full one | %s |
`, r.When.Format(time.DateOnly), r.Version, r.Go, runtime.GOOS, runtime.GOARCH, r.Machine.Cores, r.Machine.Memory, r.Machine.Disk,
		count(float64(r.Frames)), count(float64(r.Sessions)), humanize.Bytes(uint64(r.Bytes)),
		seconds(r.Restore), verdict(restoreBar), seconds(r.Restore), verdict(restoreAim),
		seconds(r.Full), seconds(r.Next), seconds(r.Restore), seconds(r.Verify))
	return err
}
