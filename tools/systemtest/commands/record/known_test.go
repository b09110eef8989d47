package record

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/query/session/streamlist"
	"tapedeck/schema"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// uniqueLines are lines that no other recording has.
func uniqueLines(n int) string {
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, "{\"n\":%d,\"id\":%q}\n", i, schema.NewStreamID())
	}
	return lines.String()
}

// A file whose bytes are recorded already is recorded once more only with --again;
// a session that then has them twice says so.
func TestKnownFile(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	file := commandtest.TextFile(t, []byte(uniqueLines(3)))
	s.Must(t, "record", "--session", "known-file", file)
	s.Must(t, "record", "--session", "known-file-2", file) // named explicitly, so the bytes of another session do not count
	for _, session := range []string{"known-file", "known-file-2"} {
		stdout, stderr, exit := s.Run(t, "record", "--session", session, file)
		if exit != 0 || stdout != "" || !strings.Contains(stderr, "these bytes are session "+session+" already") ||
			!strings.Contains(stderr, "--again") || strings.Contains(stderr, "recorded 3 frames") {
			t.Errorf("record --session %s: exit %d\n%s%s", session, exit, stdout, stderr)
		}
	}
	var known struct {
		Digest string               `json:"digest"`
		Known  streamlist.InSession `json:"known"`
	}
	if err := json.Unmarshal([]byte(s.Must(t, "record", "--json", file)), &known); err != nil {
		t.Fatal(err)
	}
	if known.Known.SessionID != "known-file-2" || // the latest
		known.Known.Stream.Digest != known.Digest || len(known.Digest) != 64 {
		t.Errorf("record --json: %+v", known)
	}
	if out := s.Must(t, "show", "known-file-2"); !strings.Contains(out, "3 frames") {
		t.Errorf("show known-file-2:\n%s", out)
	}
	if _, stderr, exit := s.Run(t, "record", "--session", "", file); exit != commandtest.ExitUsage || !strings.Contains(stderr, "--session: it must not be empty") {
		t.Errorf("record --session '': exit %d\n%s", exit, stderr)
	}
	if _, stderr, exit := s.Run(t, "record", "--session", "known-file", "--again", file); exit != 0 || !strings.Contains(stderr, "recorded 3 frames") {
		t.Errorf("record --again: exit %d\n%s", exit, stderr)
	}
	if out := s.Must(t, "show", "known-file"); !strings.Contains(out, "6 frames") || !strings.Contains(out, "the same bytes as another stream of this session") {
		t.Errorf("show after --again:\n%s", out)
	}
}

// What is not a file is recorded as often as it comes: equal bytes are equal events.
func TestLiveIsNeverKnown(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	lines := uniqueLines(2)
	for range 2 {
		cmd := s.Command(t, "record", "--session", "live-twice", "-")
		cmd.Stdin = strings.NewReader(lines)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("record -: %v\n%s", err, out)
		}
	}
	if out := s.Must(t, "show", "live-twice"); !strings.Contains(out, "4 frames") {
		t.Errorf("show:\n%s", out)
	}
}

// An upload that names its digest is recorded once, and once more with again=1; one
// without is a live stream, recorded as often as it comes.
func TestKnownUpload(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	lines := uniqueLines(2)
	digest := fmt.Sprintf("%x", sha256.Sum256([]byte(lines)))
	send := func(query string) (int, map[string]any) {
		resp, err := http.Post(s.URL+"/v1/ingest?"+query, "application/x-ndjson", strings.NewReader(lines))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var answer map[string]any
		if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, answer
	}
	if status, answer := send("session=known-upload&digest=" + digest); status != http.StatusOK {
		t.Fatalf("%d %v", status, answer)
	}
	s.UntilStreams(t, "known-upload", 1)
	for _, tc := range []struct {
		query  string
		status int
		want   string
	}{
		{"session=elsewhere&digest=" + digest, http.StatusConflict, "These bytes are session known-upload already."},
		{"session=known-upload&digest=" + strings.ToUpper(digest), http.StatusConflict, "known-upload"},
		{"session=known-upload&again=1&digest=" + digest, http.StatusOK, ""},
		{"session=known-upload-live", http.StatusOK, ""},
		{"session=known-upload-live", http.StatusOK, ""},
		{"session=s&digest=12", http.StatusBadRequest, "digest"},
		{"session=s&again=maybe&digest=" + digest, http.StatusBadRequest, "again"},
		{"session=known-upload-other&digest=" + strings.Repeat("0", 64), http.StatusUnprocessableEntity, digest},
	} {
		status, answer := send(tc.query)
		if detail, _ := answer["detail"].(string); status != tc.status || !strings.Contains(detail, tc.want) {
			t.Errorf("%s: %d %v, want %d and %q", tc.query, status, answer, tc.status, tc.want)
		}
	}
	s.UntilStreams(t, "known-upload", 2)
	s.UntilStreams(t, "known-upload-live", 2)
}
