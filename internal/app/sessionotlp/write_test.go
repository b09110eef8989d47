package sessionotlp

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/goleak"

	"tapedeck/internal/app/sessionotlp/sessionotlptest"
	"tapedeck/internal/app/tapefacts/tapefactstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func written(t *testing.T, o Options) []byte {
	t.Helper()
	var out bytes.Buffer
	if n, err := Write(&out, tapefactstest.Session(t), o); err != nil || n != 9 {
		t.Fatalf("%d spans, want 9: %v", n, err)
	}
	return out.Bytes()
}

// The document of the session in tapefactstest is the one that the rules of docs/opentelemetry.md make, with the ids
// of sha256sum.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("testdata/content.json")
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	o := Options{Version: "1.2.3", Content: true}
	first := written(t, o)
	if err := json.Unmarshal(first, &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("- want, + written:\n%s", d)
	}
	if !bytes.Equal(first, written(t, o)) {
		t.Error("the same session was written with other bytes")
	}
}

// Without the option nothing is written that was said or put out.
func TestWithoutContent(t *testing.T) {
	whole, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(written(t, Options{Content: true}))
	if err != nil {
		t.Fatal(err)
	}
	bare, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(written(t, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	optional := []string{"gen_ai.system_instructions", "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"}
	removed := map[string]int{}
	spans := whole.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	for i := range spans.Len() {
		for key := range spans.At(i).Attributes().AsRaw() {
			if slices.Contains(optional, key) {
				removed[key]++
				spans.At(i).Attributes().Remove(key)
			}
		}
		spans.At(i).Status().SetMessage("")
	}
	if d := cmp.Diff(map[string]int{optional[0]: 1, optional[1]: 1, optional[2]: 2, optional[3]: 2, optional[4]: 1}, removed); d != "" {
		t.Errorf("attributes with content (- want, + written):\n%s", d)
	}
	var texts [2][]byte
	for i, d := range []ptrace.Traces{whole, bare} {
		if texts[i], err = (&ptrace.JSONMarshaler{}).MarshalTraces(d); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(string(texts[0]), string(texts[1])); d != "" {
		t.Errorf("- with content, + without:\n%s", d)
	}
}

// The spans follow the conventions, with texts and without.
func TestConventions(t *testing.T) {
	for _, content := range []bool{false, true} {
		d, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(written(t, Options{Content: content}))
		if err != nil {
			t.Fatal(err)
		}
		for _, span := range d.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			for _, deviation := range sessionotlptest.Deviations(span) {
				t.Errorf("%s: %s", span.Name(), deviation)
			}
		}
	}
}

// Providers have the names of the conventions where these know them, and their own otherwise.
func TestProviderName(t *testing.T) {
	for name, want := range map[string]string{
		"anthropic": "anthropic", "bedrock": "aws.bedrock", "aws": "aws.bedrock", "azure": "azure.ai.openai", "cohere": "cohere",
		"deepseek": "deepseek", "google": "gcp.gen_ai", "google-vertex": "gcp.vertex_ai", "gemini": "gcp.gemini", "groq": "groq",
		"ibm": "ibm.watsonx.ai", "watsonx": "ibm.watsonx.ai", "mistral": "mistral_ai", "mistralai": "mistral_ai", "moonshotai": "moonshot_ai",
		"moonshot": "moonshot_ai", "openai": "openai", "perplexity": "perplexity", "xai": "x_ai", "x-ai": "x_ai",
		"ollama": "ollama", "openrouter": "openrouter", "": "",
	} {
		if got := providerName(name); got != want {
			t.Errorf("%q is written as %q, want %q", name, got, want)
		}
	}
}

// The collector's decoder reads ids, times, parents, kinds, statuses and attributes.
func TestDecoded(t *testing.T) {
	d, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(written(t, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	spans := d.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	if d.SpanCount() != 9 || spans.Len() != 9 {
		t.Fatalf("%d spans", d.SpanCount())
	}
	run, chat := spans.At(0), spans.At(1)
	if !run.ParentSpanID().IsEmpty() || chat.ParentSpanID() != run.SpanID() || chat.TraceID() != run.TraceID() ||
		chat.SpanID().String() != "2804bad6fe94a55f" || chat.TraceID().String() != "3f3af1ecebbd1410ab417ec0d27bbfcb" {
		t.Errorf("ids of the run %s and %s, of the call %s in %s", run.SpanID(), run.ParentSpanID(), chat.SpanID(), chat.ParentSpanID())
	}
	if chat.Kind() != ptrace.SpanKindClient || chat.Status().Code() != ptrace.StatusCodeUnset ||
		chat.StartTimestamp() != 1_767_323_046_123_456_789 || chat.EndTimestamp() != 1_767_323_047_123_456_789 {
		t.Errorf("%s %s from %d to %d", chat.Kind(), chat.Status().Code(), chat.StartTimestamp(), chat.EndTimestamp())
	}
	want := map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.request.model": "gemini-pro-latest", "gen_ai.provider.name": "gcp.gen_ai",
		"gen_ai.agent.name": "coder", "gen_ai.response.model": "gemini-2.5-pro", "gen_ai.response.id": "resp_1",
		"gen_ai.response.finish_reasons": []any{"tool_use"}, "gen_ai.request.stream": true,
		"gen_ai.response.time_to_first_chunk": 0.25, "gen_ai.conversation.id": "session",
		"gen_ai.usage.input_tokens": int64(150), "gen_ai.usage.output_tokens": int64(25),
		"gen_ai.usage.cache_read.input_tokens": int64(40), "gen_ai.usage.cache_write.input_tokens": int64(10),
		"gen_ai.usage.reasoning.output_tokens": int64(5),
	}
	if d := cmp.Diff(want, chat.Attributes().AsRaw()); d != "" {
		t.Errorf("attributes of the call (- want, + decoded):\n%s", d)
	}
}
