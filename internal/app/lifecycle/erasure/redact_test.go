package erasure_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest/redecode"
	"tapedeck/internal/fulltest"
	"tapedeck/schema/clickhouse"
)

// A secret that is masked in stored sessions is in no file of the data directory afterwards, wherever it was
// before: in frames, facts, tags, titles, the search index, settled usage, blocks and idempotency keys. Of dead
// letters, which are not masked, the answer says so.
func TestRedactLeavesNothing(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	w := &world{T: t, dir: filepath.Join(t.TempDir(), "data"), stored: map[string]string{}}
	w.restart()
	marker := newMarker()
	sessions := w.recordMarked(marker, "masked")
	w.settle(sessions[0], marker)
	before := scan(t, w.dir, w.server.DSN, marker, false)
	for _, place := range append([]string{"settled_sessions.title", "settled_usage.tags", "settled_calls.error", "settled_tools.tool"}, places...) {
		if _, there := before[place]; !there {
			t.Fatalf("the scan does not find the secret in %s before it is masked, only in %v", place, slices.Sorted(maps.Keys(before)))
		}
	}
	redact := func(session, query string) (r redecode.Redacted) {
		t.Helper()
		body := fmt.Appendf(nil, `{"declared":[{"name":"my-secret","value":%q}]}`, marker)
		status, answer := w.request(http.MethodPost, "/v1/sessions/"+session+"/redact"+query, "application/json", body)
		if err := json.Unmarshal([]byte(answer), &r); err != nil || status != http.StatusOK {
			t.Fatalf("masking %s was answered %d: %s", session, status, answer)
		}
		return r
	}
	for i, session := range sessions {
		r := redact(session, "")
		if !r.Changed || r.Counts["my-secret"] == 0 {
			t.Errorf("%s: %+v", session, r)
		}
		if remarks := strings.Join(r.Remarks, " "); strings.Contains(remarks, "1 dead letters") != (i == 0) || !strings.Contains(remarks, "spools") {
			t.Errorf("%s: the remarks are %q", session, remarks)
		}
	}
	for _, session := range sessions {
		if r := redact(session, "?wait=1"); r.Changed {
			t.Errorf("%s was masked again: %+v", session, r)
		}
	}
	after := scan(t, w.dir, w.server.DSN, marker, false)
	for place := range after {
		if !strings.HasPrefix(place, "TAPEDECK_DEAD/") && !strings.HasPrefix(place, "TAPEDECK_KEYS/") {
			t.Errorf("the secret is still in %s: %s", place, after[place])
		}
	}
	if _, there := after["TAPEDECK_DEAD/msgs"]; !there {
		t.Error("the dead letter is gone, which nobody dropped")
	}
	var letters struct{ Items []struct{ Seq uint64 } }
	_, answer := w.request(http.MethodGet, "/v1/dead-letters", "", nil)
	if err := json.Unmarshal([]byte(answer), &letters); err != nil || len(letters.Items) != 1 {
		t.Fatalf("%d dead letters, want 1: %s", len(letters.Items), answer)
	}
	if status, answer := w.request(http.MethodDelete, fmt.Sprint("/v1/dead-letters?seq=", letters.Items[0].Seq), "", nil); status != http.StatusOK {
		t.Fatalf("the dead letters: %d %s", status, answer)
	}
	// JetStream compacts files of idempotency keys within its sync_interval.
	w.eventually("no file has the secret", func() bool {
		after = scan(t, w.dir, w.server.DSN, marker, false)
		return len(after) == 0
	})
	w.clean("the end", marker, true)
	for _, session := range sessions {
		if status, answer := w.request(http.MethodGet, "/v1/sessions/"+session, "", nil); status != http.StatusOK || !strings.Contains(answer, "my-secret") {
			t.Errorf("%s: %d %s", session, status, answer)
		}
	}
}

// settle stores what a settlement keeps of a session.
func (w *world) settle(session, marker string) {
	w.Helper()
	db, err := clickhouse.Open(w.server.DSN)
	if err != nil {
		w.Fatal(err)
	}
	defer db.Close()
	batch := fmt.Sprintf("202601-%d-a", time.Now().UnixNano()) // an older one is removed as abandoned
	for _, statement := range []string{
		"INSERT INTO settled_sessions (batch, tenant, session_id, title, tag_values) SELECT '%[3]s', 'default', '%[1]s', '%[2]s', ['%[2]s']",
		"INSERT INTO settled_usage (batch, tenant, session_id, tags) SELECT '%[3]s', 'default', '%[1]s', map('user', '%[2]s')",
		"INSERT INTO settled_calls (batch, tenant, session_id, error) SELECT '%[3]s', 'default', '%[1]s', '%[2]s'",
		"INSERT INTO settled_tools (batch, tenant, session_id, tool) SELECT '%[3]s', 'default', '%[1]s', '%[2]s'",
	} {
		if err := db.Exec(w.Context(), fmt.Sprintf(statement, session, marker, batch)); err != nil {
			w.Fatal(err)
		}
	}
}
