package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"tapedeck/tools/bench/dataset"
)

// BackupOptions configures the measurement of backups. Setup.Dir is empty.
type BackupOptions struct {
	Setup
	Data dataset.Options
}

// Targets for a restore of 5 million frames.
const (
	restoreBar = 3 * time.Minute
	restoreAim = time.Minute
)

// Backups fills a data set, and measures the run times of the commands backup, restore and verify.
func Backups(ctx context.Context, o BackupOptions) (_ *BackupReport, err error) {
	if o.Data, err = o.Data.WithDefaults(); err != nil {
		return nil, err
	}
	r := &BackupReport{Environment: o.environment("backup"), Sessions: o.Data.Sessions}
	s := &scale{ScaleOptions: ScaleOptions{Setup: o.Setup, Data: o.Data}}
	if err := errors.Join(s.prepare(ctx, &r.Frames), s.stop(context.WithoutCancel(ctx))); err != nil {
		return nil, err
	}
	data := filepath.Join(o.Dir, "servers")
	up, err := startServer(ctx, o.Program, o.Dir, nil, "up", "--listen", "127.0.0.1:0", "--data", data)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, up.stop()) }()
	backups := filepath.Join(data, "backups")
	for _, step := range []struct {
		took *time.Duration
		args []string
	}{
		{&r.Full, []string{"backup", "full", "--server", up.url}},
		{&r.Incremental, []string{"backup", "next", "--base", "full", "--server", up.url}},
		{&r.Restore, []string{"restore", "next", "--data", filepath.Join(o.Dir, "restored"), "--backups", backups}},
		{&r.Verify, []string{"verify", "full", "--backups", backups}},
	} {
		o.Say(step.args[0] + " …")
		began := time.Now()
		c, err := start(o.Program, o.Dir, nil, nil, nil, step.args...)
		if err == nil {
			err = c.wait(ctx)
		}
		if err != nil {
			return nil, err
		}
		*step.took = time.Since(began)
	}
	err = filepath.Walk(filepath.Join(backups, "full"), func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			r.Bytes += info.Size()
		}
		return err
	})
	var l bars
	l.atMost("restore of 5 million frames, verified", "seconds", true, float64(r.Restore), float64(restoreBar))
	l.atMost("restore of 5 million frames, verified: the aim", "seconds", true, float64(r.Restore), float64(restoreAim))
	r.Bars, r.Took = l, time.Since(r.When)
	return r, err
}

// prepare fills the data set and settles its usage. The servers run afterwards, even after an
// error.
func (s *scale) prepare(ctx context.Context, frames *uint64) error {
	if err := s.start(ctx); err != nil {
		return err
	}
	if err := s.fill(ctx); err != nil {
		return err
	}
	if err := s.settleUsage(ctx); err != nil {
		return err
	}
	return s.db.conn.QueryRow(ctx, statement("count_frames")).Scan(frames)
}
