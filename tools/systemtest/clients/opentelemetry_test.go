package clients

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/loopback"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// answered is a recorded answer of OpenAI's chat API with 11 and 4 tokens.
const answered = `data: {"id":"chatcmpl-otel","object":"chat.completion.chunk","created":1,"model":"gpt-4o-mini-2024-07-18","choices":[{"index":0,"delta":{"role":"assistant","content":"It is "},"finish_reason":null}]}

data: {"id":"chatcmpl-otel","object":"chat.completion.chunk","created":1,"model":"gpt-4o-mini-2024-07-18","choices":[{"index":0,"delta":{"content":"Monday."},"finish_reason":null}]}

data: {"id":"chatcmpl-otel","object":"chat.completion.chunk","created":1,"model":"gpt-4o-mini-2024-07-18","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: {"id":"chatcmpl-otel","object":"chat.completion.chunk","created":1,"model":"gpt-4o-mini-2024-07-18","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":4,"total_tokens":15}}

data: [DONE]

`

// The telemetry of the AI SDK 7 and of OpenLLMetry, sent by OpenTelemetry's exporters of each
// protocol, makes a session with two calls of the model. Both say the same id of the response, so
// its tokens count once; OpenLLMetry states none of a stream.
func TestOpenTelemetryExporters(t *testing.T) {
	fulltest.Long(t)
	commandtest.NeedEngine(t)
	grpc := loopback.Free(t)
	s, err := commandtest.StartUp(t, filepath.Join(t.TempDir(), "data"), "--otlp-grpc-listen", grpc)
	check(t, err)
	t.Cleanup(func() { _, _ = s.Stop() })
	path := filepath.Join(t.TempDir(), "answer.sse")
	check(t, os.WriteFile(path, []byte(answered), 0o600))
	upstream := emulate(t, "http", path, "--end", "again").URL
	for protocol, collectors := range map[string][]string{
		"grpc": {s.URL, "http://" + grpc}, "http/protobuf": {s.URL}, "http/json": {s.URL},
	} {
		for i, collector := range collectors {
			t.Run(protocol, func(t *testing.T) {
				session := "otel-" + filepath.Base(protocol) + []string{"", "-alone"}[i]
				var client struct{ Texts, Outcomes []string }
				node(t, &client, nil, "opentelemetry.mjs", protocol, collector, upstream, session)
				same(t, client.Texts, []string{"It is Monday.", "It is Monday."})
				if len(client.Outcomes) == 0 || slices.ContainsFunc(client.Outcomes, func(o string) bool { return o != "exported" }) {
					t.Fatalf("exports: %q", client.Outcomes)
				}
				type span struct {
					Kind, Name string
					FirstToken *float64 `json:"first_token_ms"`
					Children   []span
				}
				var calls []span
				bounded.Until(t, "two calls", func() bool {
					if status, _, _ := s.Get(t, "/v1/sessions/"+session); status != 200 {
						return false
					}
					var timeline struct{ Spans []span }
					s.ReadJSON(t, "/v1/sessions/"+session+"/timeline", &timeline)
					calls = nil
					for _, top := range timeline.Spans {
						for _, of := range append(top.Children, top) {
							if of.Kind == "llm" {
								calls = append(calls, of)
							}
						}
					}
					return len(calls) == 2
				})
				for _, c := range calls {
					if c.Name != "gpt-4o-mini-2024-07-18" {
						t.Errorf("a call of %q", c.Name)
					}
				}
				// The AI SDK states when the first chunk came, OpenLLMetry does not.
				if !slices.ContainsFunc(calls, func(c span) bool { return c.FirstToken != nil && *c.FirstToken > 0 }) {
					t.Error("no call has a time to first token")
				}
				if u := s.Session(t, session).Totals; u.Calls != 1 || u.Tokens.Input != 11 || u.Tokens.Output != 4 {
					t.Errorf("usage %+v", u.UsageTotals)
				}
			})
		}
	}
}
