package otlphttp_test

import (
	"net/http"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/otlphttp"
	"tapedeck/schema"
)

// A call that a recorded stream states as well has one usage: both have the id of the response. The
// record of the stream is the later one, and counts.
func TestOnceWithAStream(t *testing.T) {
	s := serve(t, otlphttp.Options{})
	stream, err := ingest.NewRecorder(s.mem, ingest.Settings{}).Open(ingest.StreamOptions{Session: "c", Transport: schema.SSE, Dialect: "anthropic-messages"})
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range []string{
		`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"claude-sonnet-4-5","usage":{"input_tokens":10,"cache_read_input_tokens":7,"output_tokens":1}}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}`, `{"type":"message_stop"}`,
	} {
		if err := stream.Record(t.Context(), &schema.Frame{At: int64(began) + 2e9, Transport: schema.SSE, Raw: []byte("data: " + event + "\n\n")}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := stream.Close(t.Context(), schema.EndEOF); err != nil {
		t.Fatal(err)
	}
	of := s.usages()["c"]["usage:msg_1"]
	if resp := s.traces(t, request(t, chat(1, 1, 0, text("gen_ai.conversation.id", "c"), text("gen_ai.response.id", "msg_1")))); resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %q", resp.Status, resp.body)
	}
	used := s.usages()["c"]
	if len(used) != 1 || of.Tokens.CacheRead != 7 || used["usage:msg_1"].At >= of.At {
		t.Errorf("%d usages: of the stream %+v, of the span %+v", len(used), of, used["usage:msg_1"])
	}
}
