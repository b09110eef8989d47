package record

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local"
	"tapedeck/query"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// While nothing is stored, commands that record say what cannot be read, reports say that they are not
// complete, and no bill of the period is closed. Once it is stored, nothing of it is said.
func TestUnreadable(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	c := commandtest.NewCluster(t, local.Options{})
	s := c.Serve(t, "ingest,api")
	const session, turns = "unreadable", 3
	dir := t.TempDir()
	path := filepath.Join(dir, session+".jsonl")
	if err := os.WriteFile(path, transcript(session, turns), 0o600); err != nil {
		t.Fatal(err)
	}

	const said = "6 frames of 1 stream cannot be read yet"
	_, stderr, exit := s.Run(t, "record", "--wait-limit", "500ms", path)
	if exit != commandtest.ExitFailed || !strings.Contains(stderr, said) || !strings.Contains(stderr, "500ms (--wait-limit) passed") {
		t.Errorf("record: exit %d, %s", exit, stderr)
	}
	stdout, _, exit := s.Run(t, "record", "--json", "--again", "--no-wait", path)
	var answer struct {
		Unreadable struct {
			Known      bool
			Frames     uint64
			Streams    int
			CompleteTo *string `json:"complete_to"`
		}
	}
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil || exit != 0 {
		t.Fatalf("record --no-wait: exit %d, %v: %s", exit, err, stdout)
	}
	if u := answer.Unreadable; !u.Known || u.Frames != 12 || u.Streams != 1 || u.CompleteTo == nil {
		t.Errorf("record --no-wait: %+v", u)
	}
	if _, stderr, exit = s.Run(t, "sync", "--from", dir, "--wait-limit", "0s"); exit != 0 || strings.Contains(stderr, "cannot be read") {
		t.Errorf("a sync that records nothing: exit %d, %s", exit, stderr)
	}
	for _, path := range []string{"/v1/usage", "/v1/tools", "/v1/calls", "/v1/sessions", "/v1/streams", "/v1/usage/calls"} {
		status, body, header := s.Get(t, path)
		var is query.Completeness
		if err := json.Unmarshal(body, &is); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %v: %s", path, status, err, body)
		}
		if is.WaitingFrames == nil || *is.WaitingFrames != 12 || is.WaitingMore || is.CompleteTo == nil || header.Get("Tapedeck-Waiting-Frames") != "12" {
			t.Errorf("%s: %s, header %v", path, body, header)
		}
	}
	if _, _, header := s.Get(t, "/v1/usage?format=csv"); header.Get("Tapedeck-Waiting-Frames") != "12" || header.Get("Tapedeck-Complete-To") == "" {
		t.Errorf("CSV: header %v", header)
	}
	if _, stderr, _ := s.Run(t, "usage"); !strings.Contains(stderr, "12 frames received since then") {
		t.Errorf("usage: %s", stderr)
	}
	if _, stderr, exit := s.Run(t, "bills", "close", "2026-06"); exit == 0 || !strings.Contains(stderr, "wait to be stored") {
		t.Errorf("bills close: exit %d, %s", exit, stderr)
	}
	if _, stderr, exit := s.Run(t, "bills", "close", "2026-05"); exit != 0 { // nothing of it waits
		t.Errorf("bills close of another month: exit %d, %s", exit, stderr)
	}
	c.Serve(t, "sink")
	if _, stderr, exit = s.Run(t, "record", "--again", path); exit != 0 || strings.Contains(stderr, "cannot be read") {
		t.Errorf("with a sink: exit %d, %s", exit, stderr)
	}
	_, body, _ := s.Get(t, "/v1/usage")
	if !strings.Contains(string(body), `"waiting_frames":0`) || !strings.Contains(string(body), `"calls":3`) {
		t.Errorf("with a sink: %s", body)
	}
	if _, stderr, exit := s.Run(t, "bills", "close", "2026-06"); exit != 0 {
		t.Errorf("bills close with a sink: exit %d, %s", exit, stderr)
	}
}
