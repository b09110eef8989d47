package sessionotlptest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// good returns a span that follows the conventions.
func good() ptrace.Span {
	s := ptrace.NewSpan()
	s.SetName("chat m")
	s.SetKind(ptrace.SpanKindClient)
	a := s.Attributes()
	a.PutStr("gen_ai.operation.name", "chat")
	a.PutStr("gen_ai.request.model", "m")
	a.PutStr("gen_ai.provider.name", "x_ai")
	a.PutInt("gen_ai.usage.input_tokens", 10)
	a.PutInt("gen_ai.usage.cache_read.input_tokens", 10)
	a.PutEmptySlice("gen_ai.response.finish_reasons").AppendEmpty().SetStr("stop")
	a.PutStr("gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":"x"},{"type":"tool_call","name":"ls"}]}]`)
	return s
}

func TestDeviations(t *testing.T) {
	for name, c := range map[string]struct {
		change func(ptrace.Span)
		want   []string
	}{
		"none":    {func(ptrace.Span) {}, nil},
		"unknown": {func(s ptrace.Span) { s.Attributes().PutInt("gen_ai.usage.cache_creation.input_tokens", 1) }, []string{"gen_ai.usage.cache_creation.input_tokens: the conventions have no such attribute"}},
		"type": {func(s ptrace.Span) { s.Attributes().PutStr("gen_ai.usage.input_tokens", "10") },
			[]string{"gen_ai.usage.input_tokens: its type is string, and is int in the conventions", "more tokens of a cache than of the input"}},
		"types in a list": {func(s ptrace.Span) {
			s.Attributes().PutEmptySlice("gen_ai.response.finish_reasons").AppendEmpty().SetInt(1)
		}, []string{"gen_ai.response.finish_reasons: its type is a list of others, and is string[] in the conventions"}},
		"value":        {func(s ptrace.Span) { s.Attributes().PutStr("gen_ai.provider.name", "xai") }, []string{`gen_ai.provider.name: "xai" is no value of the conventions`}},
		"empty":        {func(s ptrace.Span) { s.Attributes().PutStr("gen_ai.response.id", "") }, []string{"gen_ai.response.id: it is empty"}},
		"kind":         {func(s ptrace.Span) { s.SetKind(ptrace.SpanKindInternal) }, []string{"kind Internal, that of gen_ai.client.inference is Client"}},
		"name":         {func(s ptrace.Span) { s.SetName("chat") }, []string{`name "chat", that of gen_ai.client.inference is "chat m"`}},
		"required":     {func(s ptrace.Span) { s.Attributes().Remove("gen_ai.provider.name") }, []string{"gen_ai.provider.name is missing, which gen_ai.client.inference requires"}},
		"another span": {func(s ptrace.Span) { s.Attributes().PutStr("gen_ai.tool.name", "ls") }, []string{"gen_ai.tool.name is no attribute of gen_ai.client.inference"}},
		"operation": {func(s ptrace.Span) { s.Attributes().PutStr("gen_ai.operation.name", "plan") },
			[]string{`operation "plan": exported spans have no such operation`}},
		"ok":         {func(s ptrace.Span) { s.Status().SetCode(ptrace.StatusCodeOk) }, []string{"status Ok: the conventions leave it unset"}},
		"no type":    {func(s ptrace.Span) { s.Status().SetCode(ptrace.StatusCodeError) }, []string{"status Error with error.type <nil>"}},
		"no error":   {func(s ptrace.Span) { s.Attributes().PutStr("error.type", "_OTHER") }, []string{"status Unset with error.type _OTHER"}},
		"order":      {func(s ptrace.Span) { s.SetStartTimestamp(2); s.SetEndTimestamp(1) }, []string{"it ends before it starts"}},
		"more parts": {func(s ptrace.Span) { s.Attributes().PutInt("gen_ai.usage.reasoning.output_tokens", 1) }, []string{"more tokens of reasoning than of the output"}},
		"no stream":  {func(s ptrace.Span) { s.Attributes().PutDouble("gen_ai.response.time_to_first_chunk", 1) }, []string{"a first chunk without a stream"}},
		"part": {func(s ptrace.Span) {
			s.Attributes().PutStr("gen_ai.output.messages", `[{"role":"agent","parts":[{"type":"thought"},{"type":"text"}]}]`)
		}, []string{`gen_ai.output.messages: role "agent"`, `gen_ai.output.messages: a part of type "thought"`, "gen_ai.output.messages: a part text without content"}},
		"instructions": {func(s ptrace.Span) {
			s.Attributes().PutStr("gen_ai.system_instructions", `[{"type":"tool_call","name":"x"}]`)
		}, []string{`gen_ai.system_instructions: a part of type "tool_call"`}},
		"a step": {func(s ptrace.Span) {
			s.SetKind(ptrace.SpanKindInternal)
			for _, key := range []string{"gen_ai.operation.name", "gen_ai.provider.name"} {
				s.Attributes().Remove(key)
			}
		}, nil},
		"a step with another's attribute": {func(s ptrace.Span) { s.Attributes().Remove("gen_ai.operation.name") },
			[]string{"kind Client of a step, which is internal", "gen_ai.provider.name is no attribute of a step"}},
	} {
		s := good()
		c.change(s)
		if d := cmp.Diff(c.want, Deviations(s)); d != "" {
			t.Errorf("%s (- want, + found):\n%s", name, d)
		}
	}
}
