package realtime

import (
	"strconv"
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

func TestMatch(t *testing.T) {
	const (
		no       = dialect.No
		possible = dialect.Possible
		likely   = dialect.Likely
		certain  = dialect.Certain
	)
	for _, test := range []struct {
		frame string // the prefix ">" marks what is sent, "^" a head
		want  dialect.Confidence
	}{
		{`{"type":"response.created","event_id":"e","response":{"object":"realtime.response","id":"r"}}`, certain},
		{`{"type":"session.created","event_id":"e","session":{"object":"realtime.session","id":"s"}}`, certain},
		{`{"type":"session.created","event_id":"e","session":{"id":"s"}}`, likely},
		{`{"type":"conversation.item.created","event_id":"e","item":{"object":"realtime.item"}}`, certain},
		{`{"type":"response.output_text.delta","event_id":"e","response_id":"r","item_id":"i","delta":"x"}`, certain},
		{`{"type":"input_audio_buffer.committed","event_id":"e","item_id":"i"}`, likely},
		{`{"type":"error","event_id":"e","error":{"message":"x"}}`, possible},
		// The Responses API, and OpenCode's bus.
		{`{"type":"response.created","sequence_number":0,"response":{"object":"response","id":"r"}}`, no},
		{`{"type":"response.output_text.delta","sequence_number":4,"item_id":"i","delta":"x"}`, no},
		{`{"type":"error","error":{"message":"x"}}`, no},
		{`{"type":"session.updated","properties":{"info":{"id":"ses_1"}}}`, no},
		{`{"type":"something","event_id":"e"}`, no},
		{`[1]`, no},
		{`text`, no},
		{`>{"type":"input_audio_buffer.append","audio":"AAAA"}`, likely},
		{`>{"type":"input_audio_buffer.append"}`, possible},
		{`>{"type":"session.update","session":{}}`, likely},
		{`>{"type":"conversation.item.create","item":{}}`, likely},
		{`>{"type":"response.create"}`, possible},
		{`>{"type":"response.create","response":{"input":[]}}`, possible},
		{`>{"type":"response.create","model":"m","input":"x"}`, no},
		{`>{"model":"m","input":"x"}`, no},
		{`^GET /v1/realtime?model=gpt-realtime HTTP/1.1`, likely},
		{`^GET /openai/realtime?deployment=d HTTP/1.1`, likely},
		{`^POST /v1/realtime/client_secrets HTTP/1.1`, no},
		{`^GET /v1/responses HTTP/1.1`, no},
		{`^HTTP/1.1 101 Switching Protocols`, no},
	} {
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
		if sure, why := match(in); sure != test.want || (sure == no) != (why == "") {
			t.Errorf("%s: %d (%q), want %d", test.frame, sure, why, test.want)
		}
	}
}

// The state of a hostile stream is bounded.
func TestBounds(t *testing.T) {
	d := newDecoder("").(*decoder)
	emitter := dialect.NewEmitter("stream")
	feed := func(seq int, text []byte) {
		v := fastjson.MustParseBytes(text)
		d.Decode(&dialect.Input{Frame: &schema.Frame{Seq: uint64(seq), At: int64(seq + 1)}, Data: text, JSON: v}, emitter)
		emitter.Take(0, true)
	}
	for i := range 2000 {
		n := strconv.Itoa(i)
		feed(2*i, []byte(`{"type":"response.created","response":{"id":"r`+n+`"}}`))
		feed(2*i+1, []byte(`{"type":"response.output_item.added","response_id":"r0","item":{"id":"i`+n+`","type":"function_call","call_id":"c`+n+`"}}`))
	}
	if len(d.beside) > besideLimit || len(d.items) > itemLimit {
		t.Errorf("%d responses, %d items", len(d.beside), len(d.items))
	}
}
