package knownrecordings

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"tapedeck/ingest/tap/agenthistory"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/problem"
)

// progressOf returns the progress of sessions with the numbers from 1 to n, of which the last one was
// recorded last.
func progressOf(t *testing.T, n int) *agenthistory.Progress {
	t.Helper()
	dir := t.TempDir()
	empty, err := agenthistory.OpenProgress(dir, "server", "default")
	if err != nil {
		t.Fatal(err)
	}
	if err := empty.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		text = fmt.Appendf(text, `{"path":"/f/%d","stream":"%[1]d","session":"%[1]d","modified":%[1]d,"frames":1,"saved":1}`+"\n", i+1)
	}
	if err := os.WriteFile(files[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := agenthistory.ReadProgress(dir, "server", "default")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A server that has only some of the recorded sessions has not lost the others: they were deleted.
func TestLost(t *testing.T) {
	for name, tc := range map[string]struct {
		sessions int
		has      func(session int) bool
		fails    bool
		lost     bool
	}{
		"all":                 {20, func(int) bool { return true }, false, false},
		"none":                {20, func(int) bool { return false }, false, true},
		"not the latest":      {20, func(n int) bool { return n < 18 }, false, false},
		"only the older":      {20, func(n int) bool { return n <= 10 }, false, false},
		"only the latest":     {20, func(n int) bool { return n == 20 }, false, false},
		"none of two":         {2, func(int) bool { return false }, false, true},
		"nothing recorded":    {0, func(int) bool { return false }, false, false},
		"a server that fails": {20, func(int) bool { return false }, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set(problem.ServerHeader, "1")
				var session int
				switch {
				case r.URL.Path != "/v1/streams":
					fmt.Fprint(w, `{"tokens":false}`)
				case tc.fails:
					w.WriteHeader(http.StatusServiceUnavailable)
				default:
					if _, err := fmt.Sscan(r.URL.Query().Get("session"), &session); err != nil || r.URL.Query().Get("stream") != fmt.Sprint(session) {
						t.Errorf("asked for %s: %v", r.URL, err)
					}
					items := ""
					if tc.has(session) {
						items = fmt.Sprintf(`{"session_id":"%d","stream":{}}`, session)
					}
					fmt.Fprintf(w, `{"items":[%s],"next":null}`, items)
				}
			}))
			defer srv.Close()
			server := func() (*apiclient.Client, error) { return apiclient.New(srv.URL, "") }
			lost, err := Lost(t.Context(), server, progressOf(t, tc.sessions))
			if err != nil || lost != tc.lost {
				t.Errorf("lost %v, %v; want %v", lost, err, tc.lost)
			}
		})
	}
}
