package agenthooks

import (
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
