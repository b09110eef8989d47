package vercelui

import (
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// matchOf judges a line. The prefix ">" marks what is sent, "^" a head.
func matchOf(t *testing.T, line string) (dialect.Confidence, string) {
	t.Helper()
	f := schema.Frame{}
	if rest, ok := strings.CutPrefix(line, ">"); ok {
		f.Direction, line = schema.Send, rest
	}
	if rest, ok := strings.CutPrefix(line, "^"); ok {
		f.Transport, f.Flags, f.Raw = schema.HTTP, schema.FlagNote, []byte(strings.ReplaceAll(rest, "|", "\r\n")+"\r\n\r\n")
		return match(&dialect.Input{Frame: &f})
	}
	in := dialect.Input{Frame: &f, Data: []byte(line)}
	if fastjson.Validate(line) == nil {
		in.JSON = fastjson.MustParse(line)
	}
	return match(&in)
}

func TestMatch(t *testing.T) {
	tests := []struct {
		want dialect.Confidence
		line string
	}{
		{dialect.Certain, `^HTTP/1.1 200 OK|Content-Type: text/event-stream|X-Vercel-Ai-Ui-Message-Stream: v1`},
		{dialect.Certain, `^HTTP/1.1 200 OK|x-vercel-ai-data-stream: v1`},
		{dialect.Certain, `>{"id":"c","messages":[],"trigger":"submit-message"}`},
		{dialect.Certain, `{"type":"text-delta","id":"0","delta":"x"}`},
		{dialect.Certain, `{"type":"reasoning-delta","id":"0","delta":"x"}`},
		{dialect.Certain, `{"type":"tool-input-start","toolCallId":"a","toolName":"x"}`},
		{dialect.Certain, `{"type":"tool-output-available","toolCallId":"a","output":null}`},
		{dialect.Certain, `{"type":"tool-approval-response","approvalId":"a","approved":true}`},
		{dialect.Certain, `{"type":"message-metadata","messageMetadata":{}}`},
		{dialect.Certain, `{"type":"source-url","sourceId":"s","url":"u"}`},
		{dialect.Certain, `{"type":"data-compozy-event","data":{}}`},
		{dialect.Certain, `9:{"toolCallId":"a","toolName":"x","args":{}}`},
		{dialect.Certain, `e:{"finishReason":"stop"}`},
		{dialect.Certain, "f:{\"messageId\":\"m\"}\n0:\"x\"\n"},
		{dialect.Likely, `>{"id":"c","messages":[{"role":"user","parts":[]}]}`},
		{dialect.Likely, `{"type":"start","messageId":"m"}`},
		{dialect.Likely, `{"type":"start-step"}`},
		{dialect.Likely, `{"type":"text-start","id":"0"}`},
		{dialect.Likely, `{"type":"finish","finishReason":"stop"}`},
		{dialect.Likely, `{"type":"error","errorText":"x"}`},
		{dialect.Likely, `{"type":"file","url":"u","mediaType":"m"}`},
		{dialect.Likely, `{"type":"data-weather","data":1}`},
		{dialect.Likely, `0:"x"`},
		{dialect.Possible, `^POST /api/chat HTTP/1.1`},
		{dialect.Possible, `{"type":"start"}`},
		{dialect.Possible, `{"type":"finish"}`},
		{dialect.Possible, `{"type":"abort"}`},
		{dialect.Possible, `{"type":"custom","kind":"x"}`},
		{dialect.Possible, `2:[1]`},

		// Frames of other dialects.
		{dialect.No, `^POST /v1/messages HTTP/1.1`},
		{dialect.No, `^HTTP/1.1 200 OK|Content-Type: text/event-stream`},
		{dialect.No, `>{"model":"m","messages":[]}`},
		{dialect.No, `>{"threadId":"t","runId":"r","messages":[]}`},
		{dialect.No, `{"type":"start","at":1}`},
		{dialect.No, `{"type":"error","error":"x"}`},
		{dialect.No, `{"type":"error","error":{"type":"overloaded_error"}}`},
		{dialect.No, `{"type":"custom","value":1}`},
		{dialect.No, `{"type":"text","part":{}}`},
		{dialect.No, `{"type":"step-start"}`},
		{dialect.No, `{"type":"text-delta","payload":{}}`},
		{dialect.No, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x"}`},
		{dialect.No, `{"type":"response.output_text.delta","delta":"x"}`},
		{dialect.No, `7:"x"`},
		{dialect.No, `0:x`},
		{dialect.No, `9:{}`},
		{dialect.No, `[DONE]`},
		{dialect.No, `text`},
		{dialect.No, `{}`},
		{dialect.No, `[1]`},
	}
	for _, test := range tests {
		got, why := matchOf(t, test.line)
		if got != test.want || got != dialect.No && why == "" {
			t.Errorf("%s: %d (%q), want %d", test.line, got, why, test.want)
		}
	}
}
