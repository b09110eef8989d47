package anthropic

import (
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		data string
		send bool
		want dialect.Confidence
	}{
		{`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","usage":{}}}`, false, dialect.Certain},
		{`{"type":"message_start","message":{"id":"m","role":"assistant","usage":{}}}`, false, dialect.No},
		{`{"type":"message_start","message":{"type":"message","role":"assistant"}}`, false, dialect.No},
		{`{"type":"message_start","message":{"id":"m","type":"message","role":"user","content":[]}}`, false, dialect.No},
		{`{"type":"message_start","message":"hello"}`, false, dialect.No},
		{`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, false, dialect.Certain},
		{`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`, false, dialect.Certain},
		{`{"type":"content_block_delta","delta":"x"}`, false, dialect.No},
		{`{"type":"content_block_stop","index":0}`, false, dialect.Likely},
		{`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}`, false, dialect.Certain},
		{`{"type":"message_delta","text":"x"}`, false, dialect.No},
		{`{"type":"message","id":"m","model":"c","role":"assistant","content":[],"stop_reason":null,"usage":{"output_tokens":1}}`, false, dialect.No},
		{`{"type":"ping"}`, false, dialect.Possible},
		{`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, false, dialect.Possible},
		{`{"type":"error","error":"x"}`, false, dialect.No},
		{`{"type":"message","id":"m","model":"c","role":"assistant","content":[],"usage":{"output_tokens":1}}`, false, dialect.Certain},
		{`{"type":"message","role":"assistant","content":"x"}`, false, dialect.No},
		{`{"type":"stream_event","event":{"type":"message_stop"}}`, false, dialect.No},
		{`{"type":"assistant","message":{"role":"assistant","usage":{}}}`, false, dialect.No},
		{`{"model":"m","max_tokens":1,"messages":[],"system":"x"}`, true, dialect.Likely},
		{`{"anthropic_version":"vertex-2023-10-16","max_tokens":1,"messages":[]}`, true, dialect.Likely},
		{`{"model":"m","max_tokens":1,"messages":[],"tools":[{"name":"x","input_schema":{}}]}`, true, dialect.Likely},
		{`{"model":"m","max_tokens":1,"messages":[]}`, true, dialect.Possible},
		{`{"model":"m","messages":[]}`, true, dialect.No},
		{`[1]`, false, dialect.No},
	} {
		in := dialect.Input{Frame: &schema.Frame{}, Data: []byte(test.data), JSON: fastjson.MustParse(test.data)}
		if test.send {
			in.Direction = schema.Send
		}
		if sure, why := match(&in); sure != test.want || (why == "") != (sure == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", test.data, sure, why, test.want)
		}
	}
	for head, want := range map[string]dialect.Confidence{
		"POST /v1/messages?beta=true HTTP/1.1\r\n\r\n":                                        dialect.Likely,
		"POST /anthropic/v1/messages/count_tokens HTTP/1.1\r\n\r\n":                           dialect.Likely,
		"POST /v1/projects/p/models/claude:streamRawPredict HTTP/1.1\r\n\r\n":                 dialect.No,
		"POST /v1/models/claude:rawPredict HTTP/1.1\r\nAnthropic-Version: 2023-06-01\r\n\r\n": dialect.Likely,
		"POST /v1/threads/t/messages HTTP/1.1\r\n\r\n":                                        dialect.No,
		"HTTP/1.1 200 OK\r\n\r\n":                                                             dialect.No,
	} {
		in := dialect.Input{Frame: &schema.Frame{Transport: schema.HTTP, Flags: schema.FlagNote, Raw: []byte(head)}}
		if sure, _ := match(&in); sure != want {
			t.Errorf("%q: %d, want %d", head, sure, want)
		}
	}
}

func TestSessionOf(t *testing.T) {
	for user, want := range map[string]string{
		"user_ab_account_11-22_session_33-44":  "33-44",
		"user_ab_account__session_33-44":       "33-44",
		`{"device_id":"d","session_id":"5-6"}`: "5-6",
		`{"device_id":"d"}`:                    "",
		`{"session_id"`:                        "",
		"someone":                              "",
		"obsession_1":                          "",
		"":                                     "",
	} {
		if got := sessionOf([]byte(user)); got != want {
			t.Errorf("%q: %q, want %q", user, got, want)
		}
	}
}
