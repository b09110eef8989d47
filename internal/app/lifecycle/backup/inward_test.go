package backup_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"tapedeck/internal/app/lifecycle/backup"
	"tapedeck/internal/fulltest"
)

// TestInwardAddress backs up to, and restores from, addresses of a service of this machine that is no storage. The error
// has nothing of what the service answered, so that nobody reads the service by means of backups.
func TestInwardAddress(t *testing.T) {
	fulltest.Long(t)
	const answered = "INTERNAL-ANSWER-7f3a"
	var status atomic.Int32
	var asked atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("X-Internal", answered)
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(int(status.Load()))
		_, _ = w.Write([]byte("<Error><Code>" + answered + "</Code><Message>" + answered + "</Message></Error>")) // the client may be gone
	}))
	defer inside.Close()
	w := installed(t, "")
	for _, code := range []int{http.StatusOK, http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound} {
		status.Store(int32(code))
		to, err := backup.ParseTarget(inside.URL+"/admin/tokens", backup.Keys{ID: "id", Secret: "geheim-of-the-key"})
		w.must(err)
		_, backupErr := backup.Backup(t.Context(), backup.Options{DB: w.db, NATS: w.nc, To: to, Version: "test"})
		_, restoreErr := backup.Restore(t.Context(), backup.RestoreOptions{DB: w.db, From: to, Drill: true})
		for what, err := range map[string]error{"backup": backupErr, "restore": restoreErr} {
			if err == nil {
				t.Errorf("%s, answered %d: it succeeds", what, code)
				continue
			}
			if text := err.Error(); strings.Contains(text, answered) || strings.Contains(text, "geheim") {
				t.Errorf("%s, answered %d: %s", what, code, text)
			}
		}
	}
	if asked.Load() == 0 {
		t.Error("ClickHouse did not call the address")
	}
}
