package codex

import (
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
		{dialect.Certain, `{"type":"thread.started","thread_id":"t"}`},
		{dialect.Certain, `{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}`},
		{dialect.Certain, `{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"x"}}`},
		{dialect.Certain, `{"item":{"type":"new","id":"item_9"},"type":"item.started"}`},
		{dialect.Likely, `{"type":"item.updated","item":{"id":"x","type":"todo_list"}}`},
		{dialect.Likely, `{"type":"turn.started"}`},
		{dialect.Likely, `{"type":"turn.failed","error":{"message":"x"}}`},
		{dialect.Possible, `{"type":"turn.completed"}`},
		{dialect.Possible, `{"type":"error","message":"x"}`},
		{dialect.No, `{"type":"error","error":{"type":"x","message":"y"}}`},
		{dialect.No, `{"type":"thread.started"}`},
		{dialect.No, `{"type":"item.started","item":"x"}`},
		{dialect.No, `{"type":"response.completed","response":{}}`},
		{dialect.No, `{"type":"assistant","message":{},"session_id":"s"}`},
		{dialect.No, `[1]`},
		{dialect.No, `text`},
	}
	for _, test := range tests {
		in := dialect.Input{Frame: &schema.Frame{}, Data: []byte(test.line)}
		if fastjson.Validate(test.line) == nil {
			in.JSON = fastjson.MustParse(test.line)
		}
		got, why := match(&in)
		if got != test.want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", test.line, got, why, test.want)
		}
	}
}
