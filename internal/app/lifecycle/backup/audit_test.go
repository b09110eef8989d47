package backup_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/app/lifecycle/backup"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
)

// The audit log has how a backup ended, not how its request was answered.
func TestAudited(t *testing.T) {
	fulltest.Long(t)
	w := installed(t, t.TempDir())
	log, err := audit.Open(audit.Options{NATS: w.nc})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close(t.Context())
	s := w.serviceOf(backup.ServiceOptions{NATS: w.nc, DB: w.db, Audit: log, Version: "test", Log: slog.New(slog.DiscardHandler)})
	js, err := jetstream.New(w.nc)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []audit.Outcome{audit.Done, audit.Failed} { // the second finds the place taken
		entry := audit.Entry{ID: fmt.Sprint("entry-", n), Action: audit.BackupCreate}
		bounded.Until(t, "the backup begins", func() bool {
			r := httptest.NewRequest(http.MethodPost, "/v1/backups", strings.NewReader(`{"to":"one"}`))
			r.Header.Set("Content-Type", "application/json")
			answer := httptest.NewRecorder()
			s.ServeStart(answer, r.WithContext(audit.With(r.Context(), &entry)))
			return answer.Code == http.StatusAccepted
		})
		if !entry.Continues {
			t.Error("the answer ends the action in the audit log")
		}
		var got []audit.Entry
		bounded.Until(t, "the entry of the end", func() bool {
			stream, err := js.Stream(t.Context(), audit.StreamName)
			if err != nil {
				return false // it is created with the first entry
			}
			msg, err := stream.GetMsg(t.Context(), uint64(n+1))
			return err == nil && json.Unmarshal(msg.Data, &got) == nil
		})
		if e := got[0]; e.ID != entry.ID || e.Outcome != want || e.Object != "one" || e.Status != http.StatusAccepted {
			t.Errorf("backup %d: %+v, want %s", n, e, want)
		}
		if e := got[0]; strings.Contains(e.Detail, "never overwritten") != (want == audit.Failed) {
			t.Errorf("backup %d: the detail is %q", n, e.Detail)
		}
	}
}

// serviceOf runs a service until the test ends.
func (w *world) serviceOf(o backup.ServiceOptions) *backup.Service {
	s := backup.NewService(o)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	w.Cleanup(func() {
		cancel()
		<-done
	})
	return s
}
