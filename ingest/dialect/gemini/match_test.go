package gemini

import (
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

func TestMatch(t *testing.T) {
	tests := []struct {
		want dialect.Confidence
		line string
	}{
		{dialect.Certain, `{"candidates":[{"content":{"parts":[{"text":"x"}],"role":"model"}}],"usageMetadata":{"promptTokenCount":1}}`},
		{dialect.Certain, `{"candidates":[{"finishReason":"STOP"}],"modelVersion":"gemini-2.5-pro"}`},
		{dialect.Certain, `{"usageMetadata":{"totalTokenCount":1},"modelVersion":"gemini-2.5-pro"}`},
		{dialect.Certain, `[{"candidates":[{"content":{"parts":[]}}],"modelVersion":"gemini-2.5-pro"}]`},
		{dialect.Certain, `{"response":{"candidates":[{"content":{"role":"model"}}],"modelVersion":"x"},"traceId":"t"}`},
		{dialect.Likely, `{"candidates":[{"content":{"parts":[{"text":"x"}]}}]}`},
		{dialect.Likely, `{"promptFeedback":{"blockReason":"SAFETY"}}`},
		{dialect.Likely, `>{"contents":[{"parts":[{"text":"x"}]}]}`},
		{dialect.Likely, `>{"model":"m","request":{"contents":[{"parts":[{"text":"x"}]}]}}`},
		{dialect.Likely, "^POST /v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse HTTP/1.1"},
		{dialect.Likely, "^POST /v1/projects/p/locations/l/publishers/google/models/gemini-2.5-pro:generateContent HTTP/1.1"},
		{dialect.Possible, `{"usageMetadata":{"promptTokenCount":1}}`},
		{dialect.Possible, `{"error":{"code":400,"message":"x","status":"INVALID_ARGUMENT"}}`},

		// Frames of other dialects.
		{dialect.Possible, `{"id":"e","invocationId":"i","author":"a","content":{"parts":[{"text":"x"}]},"usageMetadata":{"promptTokenCount":1}}`},
		{dialect.No, `{"TotExpand":{"candidates":["a"]}}`},
		{dialect.No, `{"type":"tot_expand","candidates":["a"]}`},
		{dialect.No, `{"error":{"message":"x","type":"invalid_request_error","code":"y"}}`},
		{dialect.No, `{"choices":[],"usage":{"prompt_tokens":1}}`},
		{dialect.No, `>{"messages":[{"role":"user","content":"x"}]}`},
		{dialect.No, "^POST /v1/projects/p/locations/l/publishers/anthropic/models/claude:streamRawPredict HTTP/1.1"},
		{dialect.No, "^POST /v1beta/models/gemini-2.5-pro:countTokens HTTP/1.1"},
		{dialect.No, "^GET /v1beta/models HTTP/1.1"},
		{dialect.No, "^HTTP/1.1 200 OK"},
		{dialect.No, `[]`},
		{dialect.No, `text`},
	}
	for _, test := range tests {
		f, line := &schema.Frame{}, test.line
		in := dialect.Input{Frame: f}
		if rest, ok := strings.CutPrefix(line, ">"); ok {
			f.Direction, line = schema.Send, rest
		}
		if head, ok := strings.CutPrefix(line, "^"); ok {
			f.Transport, f.Flags, f.Raw = schema.HTTP, schema.FlagNote, []byte(head+"\r\n\r\n")
		} else if in.Data = []byte(line); fastjson.Validate(line) == nil {
			in.JSON = fastjson.MustParse(line)
		}
		got, why := match(&in)
		if got != test.want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", test.line, got, why, test.want)
		}
	}
}

func TestEndpoint(t *testing.T) {
	for path, want := range map[string]string{
		"/v1beta/models/gemini-2.5-pro:generateContent":                                              "gemini-2.5-pro",
		"/v1beta/tunedModels/mine-1:streamGenerateContent":                                           "mine-1",
		"/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-pro:generateContent":         "gemini-2.5-pro",
		"/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-pro%3AstreamGenerateContent": "gemini-2.5-pro",
		"/gateway/v1beta/models/gemini-2.5-pro:streamGenerateContent":                                "gemini-2.5-pro",
		"/v1internal:streamGenerateContent":                                                          "",
	} {
		if got, ok := endpointOf([]byte(path)); !ok || got != want {
			t.Errorf("%s: %q, %t, want %q", path, got, ok, want)
		}
	}
	for _, path := range []string{"", "/", ":", ":x", "/v1/models", "/v1beta/models/m:embedContent", "/a%zz:generateConten"} {
		if _, ok := endpointOf([]byte(path)); ok {
			t.Errorf("%q is taken for a call of a model", path)
		}
	}
}
