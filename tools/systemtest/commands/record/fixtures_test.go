package record

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/internal/fulltest"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// spoken is the dialect of the captures in a directory.
var spoken = map[string]string{
	"ag_ui": "ag-ui", "bedrock": "bedrock", "adk": "adk", "google_interactions": "google-interactions", "anthropic_agent": "anthropic-agent", "anthropic_messages": "anthropic-messages",
	"claude_code": "claude-code", "codex_exec": "codex", "gemini_api": "gemini",
	"openai_chat": "openai-chat", "openai_responses": "openai-responses", "vercel_ui": "vercel-ui",
}

// Every captured stream of lines or events is recorded without a flag: its
// dialect is recognised, its bytes come back, and show prints its runs.
func TestCaptures(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	sources := dialecttest.Fixture(t, "SOURCES.md")
	s := commandtest.Shared(t)
	tried := 0
	for line := range strings.Lines(string(sources)) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		name := strings.TrimSpace(cells[1])
		dir, _ := filepath.Split(name)
		dialect, ok := spoken[strings.TrimSuffix(dir, "/")]
		if !ok || strings.HasSuffix(name, ".json") || strings.Contains(name, "*") {
			continue // a heading, several files, or an array: neither lines nor events
		}
		tried++
		t.Run(name, func(t *testing.T) {
			want := dialecttest.Fixture(t, name)
			path := filepath.Join(t.TempDir(), filepath.Base(name))
			if err := os.WriteFile(path, want, 0o600); err != nil {
				t.Fatal(err)
			}
			var sum ingest.Summary
			if err := json.Unmarshal([]byte(s.Must(t, "record", "--again", "--json", path)), &sum); err != nil {
				t.Fatal(err)
			}
			if sum.Dialect != dialect {
				t.Errorf("taken for %s (%s)", sum.Dialect, sum.Evidence)
			}
			runs := 0
			for _, session := range sum.Sessions {
				var shown struct {
					Session sessiondetail.Detail `json:"session"`
				}
				if err := json.Unmarshal([]byte(s.Must(t, "show", "--json", session)), &shown); err != nil {
					t.Fatal(err)
				}
				runs += len(shown.Session.Runs)
				if text := s.Must(t, "show", session); !strings.Contains(text, dialect) {
					t.Errorf("show does not name the dialect:\n%s", text)
				}
			}
			if runs == 0 {
				t.Errorf("no run in %q", sum.Sessions)
			}
			if len(sum.Sessions) == 1 {
				if got := s.Must(t, "frames", "--raw", sum.Sessions[0]); got != string(want) {
					t.Errorf("%d bytes came back, %d were recorded", len(got), len(want))
				}
				if got := s.Must(t, "play", "--format", "ndjson", "--speed", "max", sum.Sessions[0]); !strings.HasSuffix(name, ".sse") && !strings.Contains(name, ".sse.") && got != string(want) {
					t.Errorf("%d bytes were played, %d were recorded", len(got), len(want))
				}
			}
		})
	}
	if tried < 20 {
		t.Errorf("only %d captures were found in SOURCES.md", tried)
	}
}
