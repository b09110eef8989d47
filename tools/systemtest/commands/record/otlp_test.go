package record

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"tapedeck/tools/systemtest/commands/commandtest"
)

// exported is a request with one call of a model, from 2026-01-01T00:00:00Z on, for 2 s.
const exported = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"00000000000000a2","name":"chat gpt-4.1",` +
	`"startTimeUnixNano":"1767225600000000000","endTimeUnixNano":"1767225602000000000","attributes":[` +
	`{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.conversation.id","value":{"stringValue":"otlp-in"}},` +
	`{"key":"gen_ai.request.model","value":{"stringValue":"gpt-4.1"}},{"key":"gen_ai.usage.input_tokens","value":{"intValue":"10"}},` +
	`{"key":"gen_ai.usage.output_tokens","value":{"intValue":"5"}}]}]}]}]}`

// A request that an exporter sends three times is one frame and one call in the session that its
// span names, at the time of the span.
func TestExportedSpans(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	for range 3 {
		resp, err := http.Post(s.URL+"/v1/traces", "application/json", strings.NewReader(exported))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatal(resp.Status)
		}
	}
	s.UntilStreams(t, "otlp-in", 1)
	session := s.Session(t, "otlp-in")
	if session.Frames != 1 || session.Calls != 1 || session.Tokens.Total != 15 || len(session.Streams) != 1 {
		t.Errorf("%d frames, %d calls, %d tokens, %d streams", session.Frames, session.Calls, session.Tokens.Total, len(session.Streams))
	}
	ended := time.Date(2026, 1, 1, 0, 0, 2, 0, time.UTC)
	if got := session.Streams[0]; got.Dialect != "otlp" || got.Source != "OTLP traces" || !got.FirstAt.Equal(ended) {
		t.Errorf("stream %+v", got)
	}
}
