package mcp

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// library is the folder of clients that others wrote.
const library = "../clients"

// The client of the protocol's authors for JavaScript receives the same from both transports.
func TestLibraryOfTheAuthors(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(filepath.Join(library, "node_modules/.installed")); err != nil && !fulltest.Wanted() {
		fulltest.Missing(t, err)
	}
	if out, err := exec.Command("sh", filepath.Join(library, "install.sh")).CombinedOutput(); err != nil {
		t.Fatalf("install the clients: %v\n%s", err, out)
	}
	s := commandtest.Shared(t)
	commandtest.Post(t, s, "asked-by-javascript", "application/x-ndjson", []byte(`{"type":"RUN_STARTED","threadId":"t-js","runId":"run-js"}
{"type":"RUN_ERROR","message":"no seat is free"}
`))
	bounded.Until(t, "the session to be found", func() bool {
		status, _, _ := s.Get(t, "/v1/sessions/asked-by-javascript")
		return status == 200
	})
	type view struct {
		Instructions string
		Tools        []string
		Results      []struct {
			Text   string
			Failed bool
		}
	}
	const calls = `[["find_sessions",{"query":"asked-by-javascript"}],["session_errors",{"session":"asked-by-javascript"}],["session_errors",{"session":"no-such-session"}]]`
	tapedeck := s.Command(t, "mcp")
	for transport, args := range map[string][]string{"stdio": tapedeck.Args, "http": {s.URL + "/mcp"}} {
		cmd := exec.Command("node", slices.Concat([]string{filepath.Join(library, "mcp-tools.mjs"), calls}, args)...)
		cmd.Env = tapedeck.Env
		stdout, stderr, exit := commandtest.Finish(t, cmd)
		var seen view
		if err := json.Unmarshal([]byte(stdout), &seen); err != nil || exit != 0 {
			t.Fatalf("%s: exit %d, %v: %s %s", transport, exit, err, stdout, stderr)
		}
		if len(seen.Tools) != 12 || !slices.Contains(seen.Tools, "session_errors") || !strings.Contains(seen.Instructions, "find_sessions") {
			t.Errorf("%s: tools %v, instructions %.100s", transport, seen.Tools, seen.Instructions)
		}
		for i, want := range []string{"asked-by-javascript", "no seat is free", "Call find_sessions"} {
			if r := seen.Results[i]; !strings.Contains(r.Text, want) || r.Failed != (i == 2) || len(r.Text) > answerLimit {
				t.Errorf("%s: result %d: failed %v, %.300s; want %q", transport, i, r.Failed, r.Text, want)
			}
		}
	}
}
