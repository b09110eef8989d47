package main

import (
	"fmt"
	"strings"
	"testing"
)

// Times that cannot be used are counted where people read the summary.
func TestClockFrameReportsStrayTimes(t *testing.T) {
	s := shared.get(t)
	var text strings.Builder
	for i, at := range []string{"2026-01-01T00:00:01Z", "2026-05-02T00:00:00Z", "2026-01-01T00:00:02Z", "2026-01-01T00:00:01Z", "2026-01-01T00:00:04Z"} {
		fmt.Fprintf(&text, `{"type":"user","timestamp":%q,"sessionId":"stray-times","uuid":"u%d","message":{"role":"user","content":"x"}}`+"\n", at, i)
	}
	path := textFile(t, []byte(text.String()))
	_, stderr, exit := s.run(t, "record", "--clock", "frame", "--dialect", "claude-code", path)
	if exit != 0 || !strings.Contains(stderr, "2 frames with times that run backwards or are out of range") {
		t.Errorf("exit %d: %s", exit, stderr)
	}
	_, session, _ := s.get(t, "/v1/sessions/stray-times")
	if !strings.Contains(string(session), `"duration_ms":3000,`) {
		t.Errorf("from second 1 to second 4: %s", session)
	}
}
