package openai

import (
	"fmt"
	"strings"
	"testing"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// sse frames messages as events.
func sse(event string, messages ...string) []schema.Frame {
	var frames []schema.Frame
	for _, m := range messages {
		raw := "data: " + m + "\n\n"
		if event != "" {
			raw = "event: " + event + "\n" + raw
		}
		frames = append(frames, schema.Frame{Transport: schema.SSE, Raw: []byte(raw)})
	}
	return frames
}

// chatStream is a response with a long text and a tool call, in small frames as OpenAI sends
// them.
func chatStream() []schema.Frame {
	chunk := func(choices, rest string) string {
		return `{"id":"chatcmpl-D8Z5oo6uDh67AD85p73ksdT1KxhE0","object":"chat.completion.chunk","created":1770933892,` +
			`"model":"gpt-4.1-nano-2025-04-14","service_tier":"default","system_fingerprint":"fp_de604bd877","choices":[` +
			choices + `],` + rest + `,"obfuscation":"yhjoJbEF"}`
	}
	delta := func(d, finish string) string {
		return chunk(`{"index":0,"delta":`+d+`,"logprobs":null,"finish_reason":`+finish+`}`, `"usage":null`)
	}
	list := []string{delta(`{"role":"assistant","content":"","refusal":null}`, "null")}
	for range 400 {
		list = append(list, delta(`{"content":" word"}`, "null"))
	}
	list = append(list, delta(`{"tool_calls":[{"index":0,"id":"call_ZR5UUuTt3pf61kjwAJIYdVMj","type":"function","function":{"name":"look","arguments":""}}]}`, "null"))
	for range 40 {
		list = append(list, delta(`{"tool_calls":[{"index":0,"function":{"arguments":" 1,"}}]}`, "null"))
	}
	list = append(list, delta(`{}`, `"tool_calls"`), chunk("", `"usage":{"prompt_tokens":53,"completion_tokens":15,"total_tokens":68}`), "[DONE]")
	return sse("", list...)
}

// responseStream is the same as a Response.
func responseStream() []schema.Frame {
	n := -1
	event := func(format string, values ...any) string {
		n++
		return fmt.Sprintf(`{"type":"response.`+format+fmt.Sprintf(`,"sequence_number":%d}`, n), values...)
	}
	response := `"response":{"id":"resp_0850765c843cca5300699cc47d93c0819089a181f5feeff8eb","object":"response","status":"x","model":"gpt-4o","output":[]`
	list := []string{event(`created",` + response + `}`), event(`in_progress",` + response + `}`)}
	list = append(list, event(`output_item.added","item":{"id":"msg_1","type":"message","content":[]},"output_index":0`))
	for range 400 {
		list = append(list, event(`output_text.delta","delta":" word","logprobs":[],"item_id":"msg_0850765c843cca5300699cc48053e88190bf5bbc9d0c8decd5","content_index":0,"output_index":0`))
	}
	text := strings.Repeat(" word", 400)
	list = append(list, event(`output_text.done","text":"%s","item_id":"msg_1","content_index":0,"output_index":0`, text))
	list = append(list, event(`output_item.done","item":{"id":"msg_1","type":"message","content":[{"type":"output_text","text":"%s"}]},"output_index":0`, text))
	list = append(list, event(`output_item.added","item":{"id":"fc_1","type":"function_call","call_id":"call_1","name":"look","arguments":""},"output_index":1`))
	for range 40 {
		list = append(list, event(`function_call_arguments.delta","delta":" 1,","item_id":"fc_1","output_index":1`))
	}
	list = append(list, event(`output_item.done","item":{"id":"fc_1","type":"function_call","call_id":"call_1","name":"look","arguments":"%s"},"output_index":1`, strings.Repeat(" 1,", 40)))
	list = append(list, event(`completed",`+response+`,"usage":{"input_tokens":15,"output_tokens":9,"total_tokens":24}}`))
	return sse("response.event", list...)
}

func BenchmarkChat(b *testing.B)      { dialecttest.Bench(b, Chat, chatStream()) }
func BenchmarkResponses(b *testing.B) { dialecttest.Bench(b, Responses, responseStream()) }

func TestIdle(t *testing.T) {
	dialecttest.Idle(t, Chat, chatStream(), 50)
	dialecttest.Idle(t, Responses, responseStream(), 50)
}

// The streams of the benchmarks have the facts that the benchmarks are meant to measure.
func TestStreamsOfTheBenchmarks(t *testing.T) {
	for _, test := range []struct {
		dialect dialect.Dialect
		frames  []schema.Frame
		text    int
	}{{Chat, chatStream(), 2000}, {Responses, responseStream(), 2000}} {
		for i := range test.frames {
			test.frames[i].Seq, test.frames[i].At = uint64(i), dialecttest.Start+int64(i)*1e6
		}
		o := dialecttest.CutAnywhere(t, test.dialect, test.frames, test.frames[len(test.frames)-1].At)
		text := 0
		for _, m := range o.Facts.Messages {
			if m.Kind == schema.MessageAssistant {
				text += len(m.Text)
			}
		}
		if text != test.text || len(o.Facts.Usages) != 1 || len(o.Facts.Spans) != 3 {
			t.Errorf("%s: %d bytes of text, %d usages, %d spans", test.dialect.Name, text, len(o.Facts.Usages), len(o.Facts.Spans))
		}
		for i, f := range o.Frames {
			if f.Flags&^schema.FlagNotJSON != 0 {
				t.Errorf("%s: frame %d is marked %s", test.dialect.Name, i, f.Flags)
			}
		}
	}
}

// The state of a hostile stream is bounded.
func TestBounds(t *testing.T) {
	chat := newChat("").(*chat)
	responses := newResponses("").(*responses)
	feed(t, chat, 5000, func(i int) string {
		return fmt.Sprintf(`{"id":"x","choices":[{"index":%d,"delta":{"content":"a","tool_calls":[{"index":%d,"id":"c%d","function":{"name":"f"}}]}}]}`, i, i, i)
	})
	feed(t, chat, 5000, func(i int) string {
		return fmt.Sprintf(`{"id":"x","choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"d%d","function":{"name":"f"}}]}}]}`, i, i)
	})
	feed(t, responses, 5000, func(i int) string {
		return fmt.Sprintf(`{"type":"response.output_item.added","output_index":%d,"item":{"type":"function_call","call_id":"c%d","name":"f"}}`, i, i)
	})
	if len(chat.choices) > choiceLimit || len(chat.choices[0].slots) > slotLimit {
		t.Errorf("%d choices, %d calls of one", len(chat.choices), len(chat.choices[0].slots))
	}
	if len(responses.items) > itemLimit {
		t.Errorf("%d items", len(responses.items))
	}
}
