package opencode

import (
	"testing"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

func TestMatch(t *testing.T) {
	tests := []struct {
		want dialect.Confidence
		line string
	}{
		{dialect.Certain, `{"type":"step_start","timestamp":1,"sessionID":"s","part":{}}`},
		{dialect.Certain, `{"type":"tool_use","timestamp":1,"sessionID":"s","part":{"type":"tool"}}`},
		{dialect.Certain, `{"type":"message.part.updated","properties":{"part":{}}}`},
		{dialect.Certain, `{"type":"message.updated","properties":{"info":{}}}`},
		{dialect.Certain, `{"type":"session.idle","properties":{"sessionID":"s"}}`},
		{dialect.Certain, `{"directory":"/x","payload":{"type":"session.idle","properties":{"sessionID":"s"}}}`},
		{dialect.Certain, `{"directory":"/x","payload":{"type":"session.error","properties":{}}}`},
		{dialect.Certain, `{"id":"e","created":1,"type":"session.step.started","data":{"sessionID":"s","assistantMessageID":"m"}}`},
		{dialect.Certain, `{"type":"session.next.text.delta","properties":{"sessionID":"s","delta":"x"}}`},
		{dialect.No, `{"type":"session.text.delta","properties":{"sessionID":"s","delta":"x"}}`},
		{dialect.No, `{"type":"session.step.started","data":{"assistantMessageID":"m"}}`},
		{dialect.Likely, `{"type":"server.connected","properties":{}}`},
		{dialect.Likely, `{"payload":{"type":"server.connected","properties":{}}}`},
		{dialect.Likely, `{"type":"error","timestamp":1,"sessionID":"s","error":{}}`},
		{dialect.No, `{"type":"tool_use","timestamp":"2026-01-01T00:00:00Z","tool_name":"x","tool_id":"y","parameters":{}}`},
		{dialect.No, `{"type":"text","text":"x"}`},
		{dialect.No, `{"type":"message_start","message":{}}`},
		{dialect.No, `{"type":"new","properties":{}}`},
		{dialect.No, `{"directory":"/x","payload":{"type":"x"}}`},
		{dialect.No, `{"payload":"x"}`},
		{dialect.No, `[1]`},
		{dialect.No, `text`},
	}
	for _, test := range tests {
		got, why := match(dialecttest.Line(test.line))
		if got != test.want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", test.line, got, why, test.want)
		}
	}
	for head, want := range map[string]dialect.Confidence{
		"GET /global/event HTTP/1.1\r\n\r\n":  dialect.Likely,
		"GET /api/event?x=1 HTTP/1.1\r\n\r\n": dialect.Likely,
		"POST /global/event HTTP/1.1\r\n\r\n": dialect.No,
		"GET /event HTTP/1.1\r\n\r\n":         dialect.No, // many protocols have it
		"HTTP/1.1 200 OK\r\n\r\n":             dialect.No,
	} {
		f := schema.Frame{Transport: schema.HTTP, Flags: schema.FlagNote, Raw: []byte(head)}
		if got, _ := match(&dialect.Input{Frame: &f}); got != want {
			t.Errorf("%q: %d, want %d", head, got, want)
		}
	}
}

func TestTime(t *testing.T) {
	for line, want := range map[string]int64{
		`{"type":"text","timestamp":1767225600250,"sessionID":"s"}`:                     1767225600_250_000_000,
		`{"type":"message.part.updated","properties":{"time":1767225600250}}`:           1767225600_250_000_000,
		`{"directory":"/x","payload":{"type":"a","properties":{"time":1767225600250}}}`: 1767225600_250_000_000,
		`{"type":"session.next.text.delta","properties":{"timestamp":1767225600250}}`:   1767225600_250_000_000,
		`{"id":"e","created":1767225600250,"type":"session.text.delta","data":{}}`:      1767225600_250_000_000,
		`{"created":1767225600250,"type":"session.idle","properties":{}}`:               0,
		`{"type":"permission.updated","properties":{"time":{"created":1767225600250}}}`: 0,
		`{"type":"text","timestamp":"2026-01-01T00:00:00Z","sessionID":"s"}`:            0,
		`{"type":"text","timestamp":-5}`:                                                0,
		`{"type":"text","timestamp":18446744073709551615}`:                              0,
		`[]`:   0,
		`text`: 0,
	} {
		if got := Dialect.Time(dialecttest.Line(line)); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}
