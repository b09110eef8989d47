package openai

import (
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// feed decodes n messages.
func feed(t *testing.T, d dialect.Decoder, n int, message func(i int) string) {
	t.Helper()
	emitter := dialect.NewEmitter("stream")
	var parser fastjson.Parser
	for i := range n {
		text := message(i)
		v, err := parser.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		d.Decode(&dialect.Input{Frame: &schema.Frame{Seq: uint64(i), At: int64(i + 1)}, Data: []byte(text), JSON: v}, emitter)
		if i%100 == 0 {
			emitter.Take(0, true)
		}
	}
}

func TestMatch(t *testing.T) {
	const (
		no       = dialect.No
		possible = dialect.Possible
		likely   = dialect.Likely
		certain  = dialect.Certain
	)
	tests := []struct {
		frame           string // the prefix ">" marks what is sent, "^" a head
		chat, responses dialect.Confidence
	}{
		{`{"id":"x","object":"chat.completion.chunk","choices":[]}`, certain, no},
		{`{"object":"chat.completion","choices":[{"message":{}}]}`, certain, no},
		{`{"choices":[],"id":"","object":"","prompt_filter_results":[]}`, likely, no},
		{`{"choices":[{"delta":{"content":"x"}}]}`, likely, no},
		{`{"choices":[{"message":{}}]}`, possible, no},
		{`{"id":"cmpl-1","object":"text_completion","choices":[{"text":"x"}]}`, certain, no},
		{`{"object":"text_completion"}`, no, no},
		{`{"id":"x","object":"text.completion","choices":[{"text":"x"}],"usage":{"prompt_tokens":1}}`, certain, no}, // Together
		{`{"choices":[{"text":"x","log_probs":null}],"model":"palmyra-x5"}`, likely, no},                            // Writer
		{`{"choices":[{"text":"x"}]}`, no, no},
		{`{"object":"response.compaction","output":[],"usage":{"input_tokens":1}}`, no, certain},
		{`^POST /v1/responses/compact HTTP/1.1`, no, likely},
		{`>{"model":"m","prompt":"x","max_tokens":9}`, possible, no},
		{`>{"model":"m","prompt":"x"}`, no, no},
		{`^POST /v1/completions HTTP/1.1`, possible, no},
		{`{"choices":"many"}`, no, no},
		{`{"error":{"message":"x"}}`, possible, no},
		{`{"error":"x"}`, no, no},
		{`{"type":"response.created","sequence_number":0,"response":{"object":"response","id":"x"}}`, no, certain},
		{`{"type":"response.created","response":{"id":"x"}}`, no, possible},
		{`{"type":"response.output_text.delta","sequence_number":4,"delta":"x"}`, no, certain},
		{`{"type":"response.output_text.delta","delta":"x"}`, no, likely},
		// The Realtime API.
		{`{"type":"response.created","event_id":"e","response":{"object":"realtime.response"}}`, no, no},
		{`{"type":"response.output_text.delta","event_id":"e","response_id":"r","delta":"x"}`, no, no},
		{`>{"type":"response.create","response":{"input":[]}}`, no, no},
		{`{"object":"response","output":[],"status":"completed"}`, no, certain},
		{`{"object":"response","output":"done"}`, no, no},
		{`{"type":"response.output_text.delta","sequence_number":"4","delta":"x"}`, no, likely},
		{`{"type":"response.shell_call_command.delta","sequence_number":4,"command_index":0,"delta":"x"}`, no, certain},
		{`{"type":"error","sequence_number":2,"error":{"message":"x"}}`, possible, likely},
		{`{"type":"error","error":{"message":"x"}}`, possible, possible},
		{`{"type":"text","text":"x"}`, no, no},
		{`[1]`, no, no},
		{`text`, no, no},
		{`>{"type":"response.create","model":"m","input":"x"}`, no, likely},
		{`>{"model":"m","messages":[{"role":"user","content":"x"}]}`, possible, no},
		{`>{"model":"m","messages":[{"role":"user"}],"stream_options":{}}`, likely, no},
		{`>{"model":"m","messages":[{"role":"user"}],"tools":[{"type":"function","function":{}}]}`, likely, no},
		{`>{"model":"claude","messages":[{"role":"user"}],"tools":[{"name":"x","input_schema":{}}],"max_tokens":9}`, possible, no},
		{`>{"model":"m","input":[{"role":"user"}]}`, no, likely},
		{`>{"model":"m","input":"x","stream":true}`, no, likely},
		{`>{"model":"text-embedding","input":"x"}`, no, possible},
		{`>{"input":"x"}`, no, no},
		{`^POST /v1/chat/completions HTTP/1.1`, likely, no},
		{`^POST /openai/deployments/d/chat/completions?api-version=1 HTTP/1.1`, likely, no},
		{`^GET /v1/chat/completions HTTP/1.1`, no, no},
		{`^POST /v1/embeddings HTTP/1.1`, no, no},
		{`^POST /v1/messages HTTP/1.1`, no, no},
		{`^POST /v1/responses HTTP/1.1`, no, likely},
		{`^GET /v1/responses/resp_1?stream=true&starting_after=4 HTTP/1.1`, no, likely},
		{`^POST /v1/responses/resp_1/cancel HTTP/1.1`, no, likely},
		{`^DELETE /v1/responses/resp_1 HTTP/1.1`, no, no},
		{`^GET /v1/responses/resp_1/input_items HTTP/1.1`, no, no},
		{`^HTTP/1.1 200 OK`, no, no},
	}
	for _, test := range tests {
		in := &dialect.Input{Frame: &schema.Frame{Raw: []byte(test.frame)}}
		text := test.frame
		switch text[0] {
		case '^':
			in.Transport, in.Flags, in.Raw = schema.HTTP, schema.FlagNote, []byte(text[1:]+"\r\n\r\n")
			text = ""
		case '>':
			in.Direction, text = schema.Send, text[1:]
		}
		in.Data = []byte(text)
		if fastjson.Validate(text) == nil {
			in.JSON, _ = fastjson.Parse(text)
		}
		for _, d := range []struct {
			dialect.Dialect
			want dialect.Confidence
		}{{Chat, test.chat}, {Responses, test.responses}} {
			sure, why := d.Match(in)
			if sure != d.want || (sure == no) != (why == "") {
				t.Errorf("%s judges %s: %d (%q), want %d", d.Name, test.frame, sure, why, d.want)
			}
		}
	}
}
