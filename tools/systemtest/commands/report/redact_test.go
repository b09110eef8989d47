package report

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/ingest/redecode"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// A session that was recorded with its secrets is listed, masked, and then plays the same but
// for the placeholders.
func TestRedactCommand(t *testing.T) {
	fulltest.Long(t)
	s := commandtest.Shared(t)
	key := "gh" + "p_" + strings.Repeat("aB3dE6", 6)
	text := func(key, more string) string {
		return fmt.Sprintf(`{"session_id":"x","node_id":"n","type":"message_chunk","content":"key %s","id":"m"}`+"\n"+
			`{"session_id":"x","node_id":"n","type":"message_chunk","content":"%s","id":"m"}`+"\n", key, more)
	}
	recorded, masked := text(key, " and hunter2-hunter2"), text("[redacted:github-token#1]", " and [redacted:my-pass#1]")
	const id = "redact/this"
	path := commandtest.TextFile(t, []byte(recorded))
	s.Must(t, "record", "--no-redact", "--session", id, path)
	t.Setenv("MY_PASS", "hunter2-hunter2")
	dry := s.Must(t, "redact", "--dry-run", "--secret-env", "MY_PASS", id)
	for _, want := range []string{"would be masked: 1 × github-token, 1 × my-pass", "[redacted:github-token#1]", "[redacted:my-pass#1]", "PLACEHOLDER"} {
		if !strings.Contains(dry, want) {
			t.Errorf("the dry run does not say %q:\n%s", want, dry)
		}
	}
	ofFile := s.Must(t, "redact", "--dry-run", path)
	tape := filepath.Join(t.TempDir(), "x.tape")
	s.Must(t, "export", id, "-o", tape)
	ofTape := s.Must(t, "redact", "--dry-run", tape)
	for name, out := range map[string]string{"session": dry, "file": ofFile, "tape": ofTape} {
		if strings.Contains(out, key[4:]) || strings.Contains(out, "hunter2") || !strings.Contains(out, "[redacted:github-token#1]") {
			t.Errorf("%s:\n%s", name, out)
		}
	}
	if raw := s.Must(t, "play", id, "--format", "ndjson", "--speed", "max"); raw != recorded {
		t.Errorf("a dry run changed it to %q", raw)
	}
	var done struct{ Items []redecode.Redacted }
	if err := json.Unmarshal([]byte(s.Must(t, "redact", "--json", "--secret-env", "MY_PASS", id)), &done); err != nil {
		t.Fatal(err)
	}
	if len(done.Items) != 1 || !done.Items[0].Changed || done.Items[0].Counts["github-token"] != 1 || len(done.Items[0].Items) != 2 {
		t.Errorf("%+v", done)
	}
	if raw := s.Must(t, "play", id, "--format", "ndjson", "--speed", "max"); raw != masked {
		t.Errorf("it plays %q, want %q", raw, masked)
	}
	if shown := s.Must(t, "show", id); strings.Contains(shown, key) || strings.Contains(shown, "hunter2") {
		t.Errorf("show:\n%s", shown)
	}
	if _, body, _ := s.Get(t, "/v1/sessions/redact%2Fthis"); !strings.Contains(string(body), `"redacted":{"github-token":1,"my-pass":1}`) {
		t.Errorf("the API does not count them: %s", body)
	}
	if out := s.Must(t, "redact", "--dry-run", "--secret-env", "MY_PASS", id); !strings.Contains(out, "no secrets were found") {
		t.Errorf("a dry run afterwards:\n%s", out)
	}
	if out := s.Must(t, "redact", "--secret-env", "MY_PASS", id); !strings.Contains(out, "no secrets were found") {
		t.Errorf("again:\n%s", out)
	}
	bounded.Until(t, "the audit log has two maskings, and two dry runs apart from them", func() bool {
		log := s.Must(t, "audit", "--action", "session.redact", "--json")
		return strings.Count(log, `"object":"`+id+`","detail":""`) == 2 && strings.Count(log, `"object":"`+id+`","detail":"dry run"`) == 2
	})
}

func TestRedactRefusals(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	path := commandtest.TextFile(t, []byte("{}\n"))
	for _, tc := range []struct {
		args []string
		exit int
		says string
	}{
		{[]string{"redact", path}, commandtest.ExitUsage, "--dry-run"},
		{[]string{"redact", "nobody"}, commandtest.ExitFailed, "no session"},
		{[]string{"redact", "--redact-rule", "/none", "nobody"}, commandtest.ExitUsage, "/none"},
		{[]string{"redact", "--secret-env", "NOT_SET_ANYWHERE", "nobody"}, commandtest.ExitUsage, "not set"},
		{[]string{"redact"}, commandtest.ExitUsage, "session"},
	} {
		if _, stderr, exit := s.Run(t, tc.args...); exit != tc.exit || !strings.Contains(stderr, tc.says) {
			t.Errorf("%q: exit %d, %s", tc.args, exit, stderr)
		}
	}
	for _, body := range []string{"{", `{"a":1}`, `{"personal":["x"]}`, `{"rules":"x"}`, `{"declared":[{"name":"x","value":"abc"}]}`} {
		if status := postJSON(t, s, "/v1/sessions/nobody/redact", body); status != 400 {
			t.Errorf("%s: status %d", body, status)
		}
	}
}

// postJSON posts a body and returns the status of the answer.
func postJSON(t *testing.T, s *commandtest.Instance, path, body string) int {
	t.Helper()
	resp, err := http.Post(s.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}
