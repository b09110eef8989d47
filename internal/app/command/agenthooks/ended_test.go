package agenthooks

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestReadEnded(t *testing.T) {
	e, err := ReadEnded(strings.NewReader(`{"session_id":"01a2","transcript_path":null,"cwd":"/w","hook_event_name":"SessionEnd","reason":"other"}`))
	if err != nil || e.Session != "01a2" || e.Folder != "/w" {
		t.Errorf("%+v, %v", e, err)
	}
	for _, text := range []string{"", "[]", "{}", `{"session_id":1}`, `{"session_id":"` + strings.Repeat("x", statedLimit) + `"}`} {
		if e, err := ReadEnded(strings.NewReader(text)); err == nil {
			t.Errorf("%.40s: %+v", text, e)
		}
	}
}

// The log begins anew when it is large.
func TestLog(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(LogPath(dir), bytes.Repeat([]byte("x"), logLimit+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"a", "b"} {
		if err := Log(dir, line); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(LogPath(dir)); err != nil || string(text) != "a\nb\n" {
		t.Errorf("%.40q, %v", text, err)
	}
}
