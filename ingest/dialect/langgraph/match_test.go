package langgraph

import (
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

func inputOf(line string) *dialect.Input {
	in := &dialect.Input{Frame: &schema.Frame{Transport: schema.SSE}}
	if event, data, ok := strings.Cut(line, "\t"); ok {
		in.Event, line = event, data
	}
	in.Data = []byte(line)
	if fastjson.Validate(line) == nil {
		in.JSON = fastjson.MustParse(line)
	}
	return in
}

func TestMatch(t *testing.T) {
	tests := []struct {
		want dialect.Confidence
		line string
	}{
		{dialect.Certain, "metadata\t" + `{"run_id":"r","attempt":1}`},
		{dialect.Certain, "messages/partial\t[]"},
		{dialect.Certain, "messages\t" + `[{"type":"AIMessageChunk"},{"langgraph_node":"a"}]`},
		{dialect.Certain, "debug\t" + `{"type":"task","step":1,"payload":{}}`},
		{dialect.Certain, "tasks\t" + `{"id":"x","name":"y","triggers":[]}`},
		{dialect.Certain, "updates|a:b\t{}"},
		{dialect.Certain, `{"type":"event","method":"values","params":{"namespace":[],"data":{}}}`},
		{dialect.Likely, "metadata\t" + `{"run_id":"r"}`},
		{dialect.Likely, "values\t" + `{"messages":[{"type":"human","content":"x"}]}`},
		{dialect.Likely, "events\t" + `{"event":"on_chain_start","run_id":"r"}`},
		{dialect.Possible, "values\t{}"},
		{dialect.Possible, "updates\t{}"},
		{dialect.No, "metadata\t" + `{"x":1}`},
		{dialect.No, "message_start\t" + `{"type":"message_start"}`},
		{dialect.No, "error\t" + `{"error":"x","message":"y"}`},
		{dialect.No, "messages\t[1]"},
		{dialect.No, "message\t" + `{"jsonrpc":"2.0","method":"x","params":{}}`},
		{dialect.No, `{"type":"event","method":"x","params":{}}`},
		{dialect.No, `{"type":"event"}`},
		{dialect.No, `text`},
	}
	for _, test := range tests {
		got, why := match(inputOf(test.line))
		if got != test.want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", test.line, got, why, test.want)
		}
	}
	for head, want := range map[string]dialect.Confidence{
		"POST /threads/t/runs/stream HTTP/1.1\r\n\r\n":  dialect.Likely,
		"POST /runs/wait HTTP/1.1\r\n\r\n":              dialect.Likely,
		"GET /threads/t/runs/r/stream HTTP/1.1\r\n\r\n": dialect.Likely,
		"POST /v1/threads/t/runs HTTP/1.1\r\n\r\n":      dialect.No,
		"GET /runs/stream.js HTTP/1.1\r\n\r\n":          dialect.No,
		"HTTP/1.1 200 OK\r\nContent-Type: text\r\n\r\n": dialect.No,
	} {
		f := schema.Frame{Transport: schema.HTTP, Flags: schema.FlagNote, Raw: []byte(head)}
		if got, _ := match(&dialect.Input{Frame: &f}); got != want {
			t.Errorf("%q: %d, want %d", head, got, want)
		}
	}
}

func TestTime(t *testing.T) {
	for line, want := range map[string]int64{
		"debug\t" + `{"type":"task","timestamp":"2026-01-01T00:00:00.250000+00:00","step":1,"payload":{}}`: 1767225600_250_000_000,
		`{"type":"event","method":"x","params":{"timestamp":1767225600250}}`:                               1767225600_250_000_000,
		"values\t{}":                    0,
		"debug\t" + `{"timestamp":"x"}`: 0,
		"messages\t[]":                  0,
	} {
		if got := Dialect.Time(inputOf(line)); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}
