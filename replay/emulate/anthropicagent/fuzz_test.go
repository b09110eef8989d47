package anthropicagent_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// Whatever was recorded, there is an answer.
func FuzzFrames(f *testing.F) {
	f.Add([]byte(`{"type":"message_start","message":{}}` + "\n" + `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"x"}}` + "\n" +
		`{"type":"content_block_delta","delta":{"type":"citations_delta","citation":{}}}` + "\n" + `{"type":"content_block_stop","index":0}`))
	f.Add([]byte(`{"type":"error"}` + "\n" + `{"messages":[{"role":"user","content":[{"type":"tool_result"}]}]}`))
	f.Add(bytes.Repeat([]byte("x"), 3000))
	f.Fuzz(func(t *testing.T, recorded []byte) {
		tape := &replaytest.Tape{}
		dialect := "anthropic-messages"
		if len(recorded)%2 == 0 {
			dialect = "anthropic-agent"
		}
		s := tape.Stream(schema.NDJSON, dialect)
		for line := range bytes.SplitSeq(recorded, []byte("\n")) {
			s.Add(0, string(line)+"\n", func(f *schema.Frame) {
				if bytes.Contains(line, []byte("messages")) {
					f.Direction = schema.Send
				}
			})
		}
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				panic(p)
			}
		}()
		rec := httptest.NewRecorder()
		handler(tape).ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/agent/run?speed=max", nil))
		if rec.Code != http.StatusOK && rec.Code != http.StatusConflict {
			t.Errorf("status %d", rec.Code)
		}
	})
}
