package dialect

import (
	"testing"

	"tapedeck/schema"
)

func TestCounting(t *testing.T) {
	inside := Counting{
		Input: "prompt|input", CacheRead: "details.cached", Output: "completion", Reasoning: "details.thought", Total: "total",
		InputHoldsCache: true, OutputHoldsReasoning: true,
	}
	rest := Counting{Input: "in", CacheRead: "cached", Output: "out", Total: "all", InputHoldsCache: true, ReasoningInTotal: true}
	writes := Counting{Input: "prompt", CacheRead: "read", CacheWrite5m: "written", InputHoldsCache: true}
	beside := Counting{Input: "a+b", Output: "c", Reasoning: "d"}
	tests := []struct {
		name  string
		c     Counting
		usage string
		want  schema.Tokens
		total uint64
		ok    bool
	}{
		{"included", inside, `{"prompt":10,"details":{"cached":4,"thought":3},"completion":5,"total":15}`,
			schema.Tokens{Input: 6, CacheRead: 4, Output: 2, Reasoning: 3}, 15, true},
		{"the other name", inside, `{"input":10}`, schema.Tokens{Input: 10}, 0, true},
		{"more cached than there is", inside, `{"prompt":1,"details":{"cached":9}}`, schema.Tokens{Input: 1, CacheRead: 9}, 0, true},
		{"more reasoning than output", inside, `{"completion":2,"details":{"thought":9}}`, schema.Tokens{Output: 2, Reasoning: 9}, 0, true},
		{"written to a cache and read at once", writes, `{"prompt":10,"read":9,"written":8}`, schema.Tokens{Input: 1, CacheRead: 9, CacheWrite5m: 8}, 0, true},
		{"read beside the prompt", writes, `{"prompt":10,"read":11,"written":8}`, schema.Tokens{Input: 2, CacheRead: 11, CacheWrite5m: 8}, 0, true},
		{"written beside the prompt", writes, `{"prompt":10,"read":9,"written":11}`, schema.Tokens{Input: 1, CacheRead: 9, CacheWrite5m: 11}, 0, true},
		{"both beside the prompt", writes, `{"prompt":10,"read":11,"written":12}`, schema.Tokens{Input: 10, CacheRead: 11, CacheWrite5m: 12}, 0, true},
		{"nulls and texts", inside, `{"prompt":null,"input":"7","details":null,"completion":"x"}`, schema.Tokens{Input: 7}, 0, true},
		{"a sum, and beside", beside, `{"a":1,"b":2,"c":3,"d":4}`, schema.Tokens{Input: 3, Output: 3, Reasoning: 4}, 0, true},
		{"reasoning in the total alone", rest, `{"in":10,"cached":4,"out":3,"all":20}`, schema.Tokens{Input: 6, CacheRead: 4, Output: 3, Reasoning: 7}, 20, true},
		{"nothing but the others in the total", rest, `{"in":10,"out":3,"all":13}`, schema.Tokens{Input: 10, Output: 3}, 13, true},
		{"no total", rest, `{"in":10,"out":3}`, schema.Tokens{Input: 10, Output: 3}, 0, true},
		{"many members", beside, `{"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"10":0,"11":0,"12":0,"13":0,"14":0,"a":1,"15":0,"16":0,"b":2,"a":9,"c":3}`,
			schema.Tokens{Input: 3, Output: 3}, 0, true},
		{"half a sum", beside, `{"b":2}`, schema.Tokens{Input: 2}, 0, true},
		{"nothing that counts", beside, `{"x":1}`, schema.Tokens{}, 0, false},
		{"null", beside, `null`, schema.Tokens{}, 0, false},
		{"no object", beside, `[1]`, schema.Tokens{}, 0, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, total, ok := test.c.Read([]byte(test.usage))
			if got != test.want || total != test.total || ok != test.ok {
				t.Errorf("%+v, %d, %t; want %+v, %d, %t", got, total, ok, test.want, test.total, test.ok)
			}
		})
	}
}

func TestHead(t *testing.T) {
	frame := func(raw string) *Input {
		return &Input{Frame: &schema.Frame{Transport: schema.HTTP, Flags: schema.FlagNote, Raw: []byte(raw)}}
	}
	h, ok := HeadOf(frame("POST /v1/messages?beta=true HTTP/1.1\r\nHost: api\r\ncontent-TYPE:  application/json \r\n\r\n"))
	if !ok || string(h.Method) != "POST" || string(h.Path) != "/v1/messages" || h.Status != 0 ||
		string(h.Field("Content-Type")) != "application/json" || h.Field("Accept") != nil {
		t.Errorf("request: %+v, %t", h, ok)
	}
	h, ok = HeadOf(frame("HTTP/2.0 429 Too Many Requests\r\n\r\n"))
	if !ok || h.Status != 429 || h.Method != nil {
		t.Errorf("answer: %+v, %t", h, ok)
	}
	for _, raw := range []string{"", "close 1000 bye", "X-Trailer: a b\r\n\r\n", "HTTP/1.1 abc\r\n"} {
		if h, ok := HeadOf(frame(raw)); ok {
			t.Errorf("%q is a head: %+v", raw, h)
		}
	}
	if _, ok := HeadOf(&Input{Frame: &schema.Frame{Transport: schema.HTTP, Raw: []byte("GET / HTTP/1.1\r\n\r\n")}}); ok {
		t.Error("a body is a head")
	}
}

func TestProviderOf(t *testing.T) {
	for model, want := range map[string]string{
		"claude-sonnet-4-5": "anthropic", "gpt-4.1": "openai", "o3-mini": "openai", "gemini-2.5-pro": "google",
		"deepseek-chat": "deepseek", "gpt-oss-120b": "", "llama-3": "", "": "",
	} {
		if got := ProviderOf(model); got != want {
			t.Errorf("%s: %q, want %q", model, got, want)
		}
	}
}
