package erasure_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/fulltest"
	"tapedeck/schema"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/lifecycle/tombstone"
)

// hold makes the server wait at a step of an erasure; at none with "".
func (w *world) hold(step string) {
	w.Helper()
	if err := os.WriteFile(w.dir+".hold", []byte(step), 0o600); err != nil {
		w.Fatal(err)
	}
}

// held waits until so many goroutines of the server wait at a step.
func (w *world) held(step string, n int) {
	w.Helper()
	w.eventually("held at "+step, func() bool {
		text, err := os.ReadFile(w.dir + ".held")
		return err == nil && string(text) == fmt.Sprint(step, " ", n)
	})
}

// exec executes a statement in the database of the server.
func (w *world) exec(statement string, args ...any) {
	w.Helper()
	db, err := clickhouse.Open(w.server.DSN)
	if err != nil {
		w.Fatal(err)
	}
	defer db.Close()
	if err := db.Exec(w.Context(), statement, args...); err != nil {
		w.Fatalf("%s: %v", statement, err)
	}
}

// insert stores a stream of a session as the sink does, with a tag.
func (w *world) insert(session, stream, marker string) {
	w.Helper()
	for _, table := range []string{"frames", "spans"} {
		w.exec("INSERT INTO "+table+" (tenant, session_id, stream_id) VALUES (?, ?, ?)", ingest.DefaultTenant, session, stream)
	}
	w.exec("INSERT INTO streams (tenant, session_id, stream_id, tags, first_at, last_at, frames) VALUES (?, ?, ?, map('user', ?), now(), now(), 1)",
		ingest.DefaultTenant, session, stream, marker)
}

// imported records that a stream is imported.
func (w *world) imported(session, stream string) {
	w.Helper()
	w.exec("INSERT INTO restores (tenant, session_id, stream_id, restored_at) VALUES (?, ?, ?, now64(9))", ingest.DefaultTenant, session, stream)
}

// has fails unless so many streams of a session are stored, and it has a tombstone or none.
func (w *world) has(what, session string, streams uint64, deleted bool) {
	w.Helper()
	db, err := clickhouse.Open(w.server.DSN)
	if err != nil {
		w.Fatal(err)
	}
	defer db.Close()
	for _, table := range []string{"frames", "spans", "streams"} {
		var n uint64
		if err := db.QueryRow(w.Context(), "SELECT uniqExact(stream_id) FROM "+table+" WHERE session_id = ?", session).Scan(&n); err != nil {
			w.Fatal(err)
		}
		if n != streams {
			w.Errorf("%s: %d streams of %s in %s, want %d", what, n, session, table, streams)
		}
	}
	var stones uint64
	if err := db.QueryRow(w.Context(), "SELECT count() FROM tombstones WHERE session_id = ?", session).Scan(&stones); err != nil {
		w.Fatal(err)
	}
	if (stones > 0) != deleted {
		w.Errorf("%s: %d tombstones of %s", what, stones, session)
	}
}

// erased requests an erasure, and returns when the data is hidden.
func (w *world) erased(body string) {
	w.Helper()
	if status, answer := w.request(http.MethodPost, "/v1/erasures", "application/json", []byte(body)); status != http.StatusAccepted {
		w.Fatalf("the erasure was answered %d: %s", status, answer)
	}
}

// again makes the server find a row of an erased session, so that it repeats the erasure.
func (w *world) again(session, stream, marker string) {
	w.Helper()
	w.insert(session, stream, marker)
	w.server.kill()
	w.restart() // a server that starts looks for late rows
	w.eventually("the erasure was repeated", func() bool {
		db, err := clickhouse.Open(w.server.DSN)
		if err != nil {
			w.Fatal(err)
		}
		defer db.Close()
		var n uint64
		if err := db.QueryRow(w.Context(), "SELECT count() FROM streams WHERE session_id = ?", session).Scan(&n); err != nil {
			w.Fatal(err)
		}
		return n == 0
	})
	w.verified("none")
}

// What is imported into a tenant while its erasure goes on stays, with what is recorded of the session
// later. What was in flight is removed, as are streams of a recorder whose clock is ahead.
func TestImportWhileTenantIsErased(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	w := &world{T: t, dir: filepath.Join(t.TempDir(), "data"), stored: map[string]string{}}
	w.restart()
	before := [4]string{schema.NewStreamID(), schema.NewStreamID(), schema.NewStreamID(), schema.NewStreamID()}
	ahead := tombstone.Bound(time.Now().Add(24 * time.Hour))[:35]
	w.insert("known", before[0], "")
	w.insert("known", ahead+"0", "")
	w.hold("rolled")
	w.erased(`{"tenant": "default"}`)
	w.held("rolled", 1)
	w.insert("kept", before[1], "")
	w.imported("kept", before[1])
	w.insert("kept", schema.NewStreamID(), "")
	w.insert("flying", before[2], "")
	w.insert("flying", ahead+"1", "")
	w.hold("")
	w.verified("none")
	w.has("erased", "known", 0, true)
	w.has("erased", "flying", 0, true)
	w.has("erased", "kept", 2, false)

	w.again("late", before[3], "")
	w.has("erased again", "kept", 2, false)
	w.metrics().Show(t, "tapedeck_erasures_verified_total")
}

// What is imported after the sessions with a tag were erased stays when the erasure is repeated.
func TestImportAfterTagIsErased(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	w := &world{T: t, dir: filepath.Join(t.TempDir(), "data"), stored: map[string]string{}}
	w.restart()
	marker, before, other := newMarker(), schema.NewStreamID(), schema.NewStreamID()
	w.insert("gone", before, marker)
	w.erased(fmt.Sprintf(`{"tag": {"key": "user", "value": %q}}`, marker))
	w.verified("none")
	w.has("erased", "gone", 0, true)
	w.insert("kept", other, marker)
	w.again("gone", before, marker)
	w.has("erased again", "gone", 0, true)
	w.has("erased again", "kept", 1, false)
}
