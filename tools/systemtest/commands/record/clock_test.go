package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tapedeck/tools/systemtest/commands/commandtest"
)

// Times that cannot be used are counted where people read the summary.
func TestClockFrameReportsStrayTimes(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	var text strings.Builder
	for i, at := range []string{"2026-01-01T00:00:01Z", "2026-05-02T00:00:00Z", "2026-01-01T00:00:02Z", "2026-01-01T00:00:01Z", "2026-01-01T00:00:04Z"} {
		fmt.Fprintf(&text, `{"type":"user","timestamp":%q,"sessionId":"stray-times","uuid":"u%d","message":{"role":"user","content":"x"}}`+"\n", at, i)
	}
	path := commandtest.TextFile(t, []byte(text.String()))
	_, stderr, exit := s.Run(t, "record", "--clock", "frame", "--dialect", "claude-code", path)
	if exit != 0 || !strings.Contains(stderr, "2 frames with times that run backwards or are out of range") {
		t.Errorf("exit %d: %s", exit, stderr)
	}
	_, session, _ := s.Get(t, "/v1/sessions/stray-times")
	if !strings.Contains(string(session), `"duration_ms":3000,`) {
		t.Errorf("from second 1 to second 4: %s", session)
	}
}

// The conversation file of the Gemini CLI is one object: each message has its own time.
func TestClockFrameOfChatFile(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	var file bytes.Buffer
	if err := json.Indent(&file, []byte(`{"sessionId":"chat-times","projectHash":"h","startTime":"2026-01-01T00:00:00.000Z","lastUpdated":"2026-01-01T00:01:00.000Z","messages":[
		{"id":"m-1","timestamp":"2026-01-01T00:00:01.000Z","type":"user","content":"hello"},
		{"id":"m-2","timestamp":"2026-01-01T00:00:03.500Z","type":"gemini","content":"hi","model":"gemini-x","tokens":{"input":10,"output":2,"cached":0,"thoughts":0,"tool":0,"total":12}},
		{"id":"m-3","timestamp":"2026-01-01T00:00:05.000Z","type":"user","content":"again"},
		{"id":"m-4","timestamp":"2026-01-01T00:00:09.000Z","type":"gemini","content":"hi","model":"gemini-x"}],"kind":"main"}`), "", "  "); err != nil {
		t.Fatal(err)
	}
	s.Must(t, "record", "--clock", "frame", commandtest.TextFile(t, file.Bytes()))
	_, session, _ := s.Get(t, "/v1/sessions/chat-times")
	if !strings.Contains(string(session), `"duration_ms":9000,`) {
		t.Errorf("from second 0 to second 9: %s", session)
	}
	_, spans, _ := s.Get(t, "/v1/sessions/chat-times/timeline")
	for _, want := range []string{`"duration_ms":2500,`, `"duration_ms":4000,`} {
		if strings.Count(string(spans), want) != 2 { // a run and its call
			t.Errorf("no run and call with %s: %s", want, spans)
		}
	}
}
