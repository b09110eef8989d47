package httpreplay_test

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

type captured struct {
	kind string // the type that the dialect reads
	raw  string
}

// Streams of UIs and agents that were recorded without their requests are served at any path, one
// answer after the other.
func TestCaptures(t *testing.T) {
	const events, lines = "text/event-stream; charset=utf-8", "application/x-ndjson"
	for _, tc := range []struct {
		dialect   string
		transport schema.Transport
		frames    []captured
		body      string
		kind      string
		answers   []string
	}{
		{"ag-ui", schema.SSE, []captured{
			{kind: "RUN_STARTED", raw: "data: {\"type\":\"RUN_STARTED\"}\n\n"}, {kind: "RUN_FINISHED", raw: "data: {\"type\":\"RUN_FINISHED\"}\n\n"},
			{kind: "RUN_STARTED", raw: "data: {\"n\":2}\n\n"},
		}, "{}", events, []string{"data: {\"type\":\"RUN_STARTED\"}\n\ndata: {\"type\":\"RUN_FINISHED\"}\n\n", "data: {\"n\":2}\n\n"}},
		{"ag-ui", schema.NDJSON, []captured{{kind: "RUN_STARTED", raw: "{\"a\":1}\n"}, {kind: "RUN_FINISHED", raw: "{\"a\":2}\n"}},
			"{}", events, []string{"data: {\"a\":1}\n\ndata: {\"a\":2}\n\n"}},
		{"vercel-ui", schema.SSE, []captured{
			{kind: "start", raw: "data: {\"type\":\"start\"}\n\n"}, {kind: "finish", raw: "data: {\"type\":\"finish\"}\n\n"}, {kind: "[DONE]", raw: "data: [DONE]\n\n"},
			{kind: "start", raw: "data: {\"type\":\"start\",\"n\":2}\n\n"},
		}, "{}", events, []string{"data: {\"type\":\"start\"}\n\ndata: {\"type\":\"finish\"}\n\ndata: [DONE]\n\n", "data: {\"type\":\"start\",\"n\":2}\n\ndata: [DONE]\n\n"}},
		{"vercel-ui", schema.NDJSON, []captured{{raw: "0:\"Hi\"\n"}, {raw: "d:{\"finishReason\":\"stop\"}\n"}},
			"{}", "text/plain; charset=utf-8", []string{"0:\"Hi\"\nd:{\"finishReason\":\"stop\"}\n"}},
		{"a2a", schema.SSE, []captured{{raw: "data: {\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}\n\n"}},
			`{"jsonrpc":"2.0","id":"mine","method":"message/stream"}`, events, []string{"data: {\"jsonrpc\":\"2.0\",\"id\":\"mine\",\"result\":{}}\n\n"}},
		{"mcp", schema.SSE, []captured{{kind: "result", raw: "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}\n\n"}, {kind: "result", raw: "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":2}\n\n"}},
			`{"jsonrpc":"2.0","id":9,"method":"x"}`, events, []string{"data: {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":1}\n\n", "data: {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":2}\n\n"}},
		{"cohere", schema.NDJSON, []captured{{kind: "chat", raw: "{\"id\":1}\n"}}, "{}", "application/json", []string{`{"id":1}`}},
		{"bedrock", schema.EventStream, []captured{{raw: "\x00\x01"}, {raw: "\x02"}}, "{}", "application/vnd.amazon.eventstream", []string{"\x00\x01\x02"}},
		{"bedrock", schema.NDJSON, []captured{{kind: "converse", raw: "{\"output\":{}}\n"}}, "{}", "application/json", []string{`{"output":{}}`}},
		{"ollama", schema.NDJSON, []captured{{raw: "{\"a\":1}\n"}, {raw: "{\"done\":true}\n"}}, "{}", lines, []string{"{\"a\":1}\n{\"done\":true}\n"}},
		{"generic", schema.SSE, []captured{{raw: "data: 1\n\n"}}, "{}", events, []string{"data: 1\n\n"}},
	} {
		tape := &replaytest.Tape{}
		s := tape.Stream(tc.transport, tc.dialect).Source("run.sse")
		for _, f := range tc.frames {
			s.Add(0, f.raw, et.Typed(f.kind, ""))
		}
		base := et.Serve(t, handler(tape))
		for i, want := range tc.answers {
			res, got := ask(t, http.DefaultClient, "POST", base+"/api/agent?speed=max", tc.body)
			if res.StatusCode != 200 || res.Header.Get("Content-Type") != tc.kind || got != want {
				t.Errorf("%s, %d: %d %s %q, want %q", tc.dialect, i, res.StatusCode, res.Header.Get("Content-Type"), got, want)
			}
			if v := res.Header.Get("X-Vercel-Ai-Ui-Message-Stream"); (v == "v1") != (tc.dialect == "vercel-ui") {
				t.Errorf("%s: the version of the stream is %q", tc.dialect, v)
			}
		}
	}
}

// A stream of "record --sse URL" is served at the path of the URL, and no other; of several, that to the
// same query.
func TestCapturedURL(t *testing.T) {
	tape := &replaytest.Tape{}
	tape.Stream(schema.SSE, "ag-ui").Source("https://agent.example/run/a").Add(0, "data: a\n\n")
	tape.Stream(schema.SSE, "openai-chat").Source("https://agent.example/llm").Add(time.Second, "data: b\n\n").
		Add(time.Second, "data: [DONE]\n\n", et.Typed("[DONE]", ""))
	for i, query := range []string{"job=1", "job=2", "token=%5Bredacted%5D"} {
		tape.Stream(schema.SSE, "ag-ui").Source("https://agent.example/jobs?"+query).Add(time.Duration(2+i)*time.Second, fmt.Sprintf("data: %d\n\n", i))
	}
	base := et.Serve(t, handler(tape))
	for _, tc := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"POST", "/run/a", 200, "data: a\n\n"},
		{"GET", "/run/a", 200, "data: a\n\n"},
		{"POST", "/llm", 200, "data: b\n\ndata: [DONE]\n\n"},
		{"POST", "/v1/chat/completions", 200, "data: b\n\ndata: [DONE]\n\n"},
		{"POST", "/jobs?job=2", 200, "data: 1\n\n"},
		{"GET", "/jobs?job=1", 200, "data: 0\n\n"},
		{"GET", "/jobs?token=any", 200, "data: 2\n\n"},
		{"POST", "/jobs?job=2", 200, "data: 1\n\n"},
		{"POST", "/other", 404, ""},
	} {
		res, got := ask(t, http.DefaultClient, tc.method, base+tc.path+cmp.Or(map[bool]string{true: "&"}[strings.Contains(tc.path, "?")], "?")+"speed=max", "{}")
		if res.StatusCode != tc.status || tc.want != "" && got != tc.want {
			t.Errorf("%s %s: %d %q, want %q", tc.method, tc.path, res.StatusCode, got, tc.want)
		}
	}
}
