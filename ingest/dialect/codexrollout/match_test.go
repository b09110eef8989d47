package codexrollout

import (
	"testing"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
)

func TestMatch(t *testing.T) {
	const at = `"timestamp":"2025-12-18T10:00:00.000Z"`
	tests := []struct {
		want dialect.Confidence
		line string
	}{
		{dialect.Certain, `{` + at + `,"type":"session_meta","payload":{"id":"s","cwd":"/w","cli_version":"0.106.0"}}`},
		{dialect.Certain, `{` + at + `,"type":"turn_context","payload":{"model":"gpt-5.2","cwd":"/w"}}`},
		{dialect.Certain, `{` + at + `,"type":"response_item","payload":{"type":"message","role":"user","content":[]}}`},
		{dialect.Certain, `{"payload":{"type":"token_count","info":null},"type":"event_msg",` + at + `}`},
		{dialect.Likely, `{` + at + `,"type":"compacted","payload":{"message":"x"}}`},
		{dialect.No, `{` + at + `,"type":"response_item","payload":[1]}`},
		{dialect.No, `{` + at + `,"type":"session_meta","payload":{}}`},
		{dialect.No, `{` + at + `,"type":"message","payload":{"type":"message"}}`},
		{dialect.No, `{"type":"event_msg","payload":{"type":"token_count"}}`},
		{dialect.No, `{"timestamp":1766052000000,"type":"event_msg","payload":{"type":"token_count"}}`},
		{dialect.No, `[1]`},
		{dialect.No, `text`},
	}
	for _, test := range tests {
		got, why := match(dialecttest.Line(test.line))
		if got != test.want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", test.line, got, why, test.want)
		}
	}
}

func TestTimeOfID(t *testing.T) {
	for id, want := range map[string]int64{
		"019b2ea4-0000-7bbb-8ccc-58208e1f0000": 0x019b2ea40000 * 1e6,
		"019b2ea4-aaaa-bbbb-cccc-58208e1f0000": 0, // not version 7
		"019b2ea4-zzzz-7bbb-8ccc-58208e1f0000": 0,
		"turn-1":                               0,
		"":                                     0,
	} {
		if got := timeOfID([]byte(id)); got != want {
			t.Errorf("%q: %d, want %d", id, got, want)
		}
	}
}
