package ollama

import (
	"testing"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
)

func TestMatch(t *testing.T) {
	tests := []struct {
		want dialect.Confidence
		line string
	}{
		{dialect.Possible, "head POST /api/chat HTTP/1.1"},
		{dialect.Certain, "head POST /api/chat HTTP/1.1|User-Agent: ollama-python/0.6.1 (x86_64 linux) Python/3.12"},
		{dialect.Possible, "head POST /api/chat HTTP/1.1|User-Agent: curl/8.5.0"},
		{dialect.No, "head POST /api/pull HTTP/1.1|User-Agent: ollama-python/0.6.1"},
		{dialect.No, "head GET /api/chat HTTP/1.1"},
		{dialect.No, "head POST /v1/chat/completions HTTP/1.1"},
		{dialect.Likely, `> {"model":"llama3.2","messages":[{"role":"user","content":"x"}],"options":{"seed":1}}`},
		{dialect.Likely, `> {"model":"llama3.2","prompt":"x","keep_alive":"5m"}`},
		{dialect.No, `> {"model":"llama3.2","messages":[{"role":"user","content":"x"}]}`},
		{dialect.Certain, `{"model":"llama3.2","created_at":"2023-08-04T08:52:19Z","message":{"role":"assistant","content":"The"},"done":false}`},
		{dialect.Certain, `{"model":"llama3.2","created_at":"2023-08-04T08:52:19Z","response":"The","done":false}`},
		{dialect.Certain, `{"model":"llama3.2","created_at":"2023-08-04T08:52:19Z","done":true,"eval_count":282}`},
		{dialect.Possible, `{"model":"llama3.2","created_at":"2023-08-04T08:52:19Z","done":true}`},
		{dialect.No, `{"model":"llama3.2","message":{"role":"assistant","content":"The"},"done":false}`},
		{dialect.No, `{"model":"gpt-4","created":1,"choices":[{"delta":{}}]}`},
		{dialect.No, `{"model":"m","created_at":1741476542,"object":"response","status":"completed"}`},
		{dialect.No, `{"error":"model \"x\" not found, try pulling it first"}`},
		{dialect.No, `[1]`},
		{dialect.No, `text`},
	}
	for _, test := range tests {
		got, why := match(dialecttest.Line(test.line))
		if got != test.want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", test.line, got, why, test.want)
		}
	}
}

func TestTime(t *testing.T) {
	for line, want := range map[string]int64{
		`{"created_at":"2026-01-01T00:00:00.250000001Z"}`: 1767225600_250_000_001,
		`{"created_at":"2025-12-31T16:00:00-08:00"}`:      1767225600_000_000_000,
		`{"created_at":1767225600}`:                       0,
		`[]`:                                              0,
		`text`:                                            0,
	} {
		if got := Dialect.Time(dialecttest.Line(line)); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}
