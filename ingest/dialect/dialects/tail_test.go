package dialects_test

import (
	"slices"
	"strings"
	"testing"
)

const answered = `event: message_start
data: {"type":"message_start","message":{"id":"msg_0123456789abcdefABCD","type":"message","role":"assistant","model":"claude-haiku-4-5","content":[],"stop_reason":null,"usage":{"input_tokens":33,"output_tokens":1}}}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":6}}

event: message_stop
data: {"type":"message_stop"}

`

// An SSE event without its blank line at the end of a stream is recorded to the byte, and nothing
// is concluded from it (WHATWG HTML, section 9.2.6).
func TestUndispatchedEvent(t *testing.T) {
	const tail = "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{},\"usage\":{\"output_tokens\":999}}"
	for name, test := range map[string]struct{ text, tokens string }{
		"after the end":     {answered + tail + "\n", "tokens claude-haiku-4-5 input=33 output=6 total=39"},
		"without line end":  {answered + tail, "tokens claude-haiku-4-5 input=33 output=6 total=39"},
		"with a blank line": {answered + tail + "\n\n", "tokens claude-haiku-4-5 input=33 output=999 total=1032"},
		"inside the answer": {answered[:len(answered)-len("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")] + tail,
			"tokens claude-haiku-4-5 input=33 output=6 total=39"},
		"usage of a chat completion": {
			`data: {"id":"chatcmpl-0123456789abcdef0","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}` +
				"\n\n" + `data: {"id":"chatcmpl-0123456789abcdef0","object":"chat.completion.chunk","model":"m","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":999}}` + "\n",
			"tokens m input=1 output=2 total=3"},
	} {
		t.Run(name, func(t *testing.T) {
			got := recordBytes(t, []byte(test.text))
			if string(got.raw) != test.text {
				t.Error("the bytes differ")
			}
			if lines := got.lines(); !slices.Contains(lines, test.tokens) {
				t.Errorf("%q, want %q", lines, test.tokens)
			}
		})
	}
}

// An unknown event that has the start of a message as its member is no whole answer: its usage does
// not count beside that of the events after it. A whole message in an unknown event counts once,
// with the events that it repeats.
func TestMessageInUnknownEvent(t *testing.T) {
	const (
		start = `event: audit
data: {"type":"audit","message":{"id":"msg_0123456789abcdefABCD","type":"message","role":"assistant","model":"claude-haiku-4-5","content":[],"stop_reason":null,"usage":{"input_tokens":3,"cache_creation_input_tokens":1276,"output_tokens":1}}}

`
		rest = `event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":3,"cache_creation_input_tokens":1276,"output_tokens":58}}

event: message_stop
data: {"type":"message_stop"}

`
		whole = `event: audit
data: {"type":"audit","message":{"id":"msg_0123456789abcdefABCD","type":"message","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","usage":{"input_tokens":33,"output_tokens":6}}}

`
	)
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"a start": {start + rest, []string{"runs 1 ok", "calls 1 ok", "tokens claude-haiku-4-5 input=3 cache_write_5m=1276 output=58 total=1337"}},
		"a whole message of another answer before a stream": {strings.Replace(whole, "ABCD", "WXYZ", 1) + answered,
			[]string{"runs 2 ok", "calls 2 ok", "tokens claude-haiku-4-5 input=66 output=12 total=78"}},
		"a whole message after its events": {answered + whole,
			[]string{"runs 1 ok", "calls 1 ok", "tokens claude-haiku-4-5 input=33 output=6 total=39"}},
	} {
		t.Run(name, func(t *testing.T) {
			lines := recordBytes(t, []byte(test.text)).lines()
			for _, want := range test.want {
				if !slices.Contains(lines, want) {
					t.Errorf("%q, want %q", lines, want)
				}
			}
		})
	}
}
