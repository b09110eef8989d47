package compozy_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"tapedeck/ingest/dialect/dialects/dialectstest"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// Whatever was recorded, there is an answer.
func FuzzFrames(f *testing.F) {
	f.Add([]byte(`{"type":"content_block_delta","index":1,"delta":{"partial_json":"{"}}` + "\n" + `{"type":"content_block_stop","index":1}`))
	f.Add([]byte(`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"x"}}]},"finish_reason":"stop"}]}`))
	f.Add([]byte(`{"item":{"type":"agent_message"},"type":"item.completed"}` + "\nplain"))
	f.Add([]byte(`{"id":3,"type":"status","data":{}}`))
	f.Fuzz(func(t *testing.T, recorded []byte) {
		tape := &replaytest.Tape{Decode: dialectstest.Decode}
		for _, dialect := range []string{
			"loom", "anthropic-messages", "anthropic-agent", "openai-chat", "openai-responses", "ag-ui", "vercel-ui", "gemini",
			"claude-code", "gemini-cli", "codex", "opencode", "generic", "compozy",
		} {
			s := tape.Stream(schema.NDJSON, dialect)
			for line := range bytes.SplitSeq(recorded, []byte("\n")) {
				s.Add(0, string(line)+"\n")
			}
		}
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				panic(p)
			}
		}()
		for _, kind := range []string{"workflows", "tasks"} {
			rec := httptest.NewRecorder()
			handler(tape).ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/api/v0/executions/"+kind+"/session/stream?speed=max", nil))
			if rec.Code != http.StatusOK {
				t.Errorf("status %d", rec.Code)
			}
		}
	})
}
