package anthropicagent

import (
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

func TestMatch(t *testing.T) {
	tests := []struct {
		want dialect.Confidence
		send bool
		data string
	}{
		{dialect.Certain, false, `{"type":"text","agent":"a","final":false,"delta":"x"}`},
		{dialect.Certain, false, `{"delta":null,"final":true,"agent":null,"type":"new"}`},
		{dialect.Certain, false, `<meta_init data="{}"></meta_init>`},
		{dialect.Certain, false, ` <content-block-text>`},
		{dialect.Certain, false, `<awaiting_frontend_tools data="[]">`},
		{dialect.Possible, false, `{"error":"ValueError","message":"m","traceback":"t"}`},
		{dialect.Likely, true, `{"user_prompt":[],"agent_type":"agent_all_json"}`},
		{dialect.Likely, true, `{"agent_uuid":"a","tool_results":[]}`},
		{dialect.No, true, `{"agent_uuid":"a"}`},
		{dialect.No, true, `<meta_init data="{}">`},
		{dialect.No, false, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`},
		{dialect.No, false, `{"type":"text","agent":"a","final":false,"delta":{"text":"x"}}`},
		{dialect.No, false, `{"type":"text-delta","id":"1","delta":"x"}`},
		{dialect.No, false, `{"type":"error","error":{"type":"x","message":"y"}}`},
		{dialect.No, false, `{"error":"x","message":"y"}`},
		{dialect.No, false, `<html>`},
		{dialect.No, false, `[1]`},
		{dialect.No, false, `[DONE]`},
	}
	for _, test := range tests {
		in := dialect.Input{Frame: &schema.Frame{}, Data: []byte(test.data)}
		if test.send {
			in.Direction = schema.Send
		}
		if fastjson.Validate(test.data) == nil {
			in.JSON = fastjson.MustParse(test.data)
		}
		if got, why := match(&in); got != test.want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", test.data, got, why, test.want)
		}
	}
	head := func(line string) *dialect.Input {
		return &dialect.Input{Frame: &schema.Frame{Transport: schema.HTTP, Flags: schema.FlagNote, Raw: []byte(line + "\r\n\r\n")}}
	}
	for line, want := range map[string]dialect.Confidence{
		"POST /api/agent/run?x=1 HTTP/1.1":     dialect.Likely,
		"POST /agent/tool_results HTTP/1.1":    dialect.Likely,
		"GET /agent/run HTTP/1.1":              dialect.No,
		"POST /agent/a-1/conversations HTTP/2": dialect.No,
		"HTTP/1.1 200 OK":                      dialect.No,
	} {
		if got, _ := match(head(line)); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}
