package backup_test

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/app/lifecycle/backup"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/metric/metrictest"
)

// service runs a service until the test ends.
func (w *world) service() *backup.Service {
	return w.serviceOf(backup.ServiceOptions{NATS: w.nc, DB: w.db, Version: "test", Log: slog.New(slog.DiscardHandler)})
}

// start begins a backup, once the service runs.
func start(t *testing.T, s *backup.Service, o backup.Options) (st backup.Status) {
	t.Helper()
	bounded.Until(t, "the service runs", func() (begun bool) {
		var err error
		st, err = s.Start(o)
		return err == nil
	})
	return st
}

// ended waits for a backup.
func ended(t *testing.T, s *backup.Service, id string) (st backup.Status) {
	t.Helper()
	bounded.Until(t, "the backup ends", func() bool {
		st, _ = s.Find(id)
		return st.State != backup.Running
	})
	return st
}

// A service makes one backup at a time and reports how each ended. What an engine that was killed
// leaves is not restorable, and the next backup removes it from ClickHouse.
func TestService(t *testing.T) {
	fulltest.Long(t)
	metrictest.Grow(t, "tapedeck_backup_failures_total")
	backups := t.TempDir()
	w := installed(t, backups)
	s := w.service()
	first := start(t, s, backup.Options{To: target(t, "one")})
	if _, err := s.Start(backup.Options{To: target(t, "two")}); err != nil && !errors.Is(err, backup.ErrBusy) {
		t.Errorf("a second one: %v", err)
	}
	st := ended(t, s, first.ID)
	if st.State != backup.Done || st.Manifest == nil || st.Manifest.Frames != 600 || st.FinishedAt == nil || st.Progress.Bytes == 0 {
		t.Errorf("ended as %+v", st)
	}
	bounded.Until(t, "no backup runs", func() bool { return s.List()[0].State != backup.Running })
	again := ended(t, s, start(t, s, backup.Options{To: target(t, "one")}).ID)
	if again.State != backup.Failed || !strings.Contains(again.Error, "never overwritten") {
		t.Errorf("a place that is taken: %+v", again)
	}

	// A database that a killed engine or server has left.
	w.exec("CREATE DATABASE default__backup")
	w.exec("CREATE TABLE default__backup.left (x UInt8) ENGINE = MergeTree ORDER BY x")
	third := ended(t, s, start(t, s, backup.Options{To: target(t, "three")}).ID)
	if third.State != backup.Done {
		t.Errorf("after a kill: %+v", third)
	}
	if left := w.databases(); len(left) != 0 {
		t.Errorf("left databases %v", left)
	}
	if size(t, filepath.Join(backups, "three")) == 0 {
		t.Error("nothing was written")
	}
	metrictest.Show(t, "tapedeck_backup_last_success_timestamp_seconds", "tapedeck_backup_last_duration_seconds", "tapedeck_backup_last_bytes")
}
