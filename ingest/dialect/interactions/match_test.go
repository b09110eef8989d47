package interactions

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
		{dialect.Certain, `{"event_type":"interaction.created","interaction":{"id":"v1_a","status":"in_progress","object":"interaction"}}`},
		{dialect.Certain, `{"event_type":"interaction.start","interaction":{"id":"v1_a"}}`},
		{dialect.Certain, `{"event_type":"interaction.status_update","interaction_id":"v1_a","status":"in_progress"}`},
		{dialect.Certain, `{"event_type":"step.start","index":0,"step":{"type":"thought"}}`},
		{dialect.Certain, `{"event_type":"content.start","index":0,"content":{"type":"text"}}`},
		{dialect.Certain, `{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"x"}}`},
		{dialect.Certain, `{"event_type":"content.delta","index":0,"delta":{"type":"text","text":"x"}}`},
		{dialect.Certain, `{"event_type":"interaction.completed","interaction":{"id":"v1_a","status":"completed"}}`},
		{dialect.Certain, `{"id":"v1_a","object":"interaction","status":"completed","outputs":[]}`},
		{dialect.Possible, `{"event_type":"step.stop","index":0}`},
		{dialect.Possible, `{"event_type":"error","error":{"message":"x"}}`},
		{dialect.No, `{"event_type":"step.start","index":0,"name":"build"}`},
		{dialect.No, `{"event_type":"interaction.created","interaction":"i1"}`},
		{dialect.No, `{"event_type":"error","message":"x"}`},
		{dialect.No, `{"type":"content.delta","index":0,"delta":{"type":"text"}}`},
		{dialect.No, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`},
		{dialect.No, `{"object":"interaction"}`},
		{dialect.No, `[1]`},
		{dialect.No, `text`},
	}
	for _, test := range tests {
		in := &dialect.Input{Frame: &schema.Frame{}, Data: []byte(test.line)}
		if fastjson.Validate(test.line) == nil {
			in.JSON = fastjson.MustParse(test.line)
		}
		got, why := match(in)
		if got != test.want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", test.line, got, why, test.want)
		}
	}
}

func TestMatchRequest(t *testing.T) {
	for line, want := range map[string]dialect.Confidence{
		`{"model":"gemini-3-pro","input":"x","previous_interaction_id":"v1_a"}`:                      dialect.Likely,
		`{"model":"gemini-3-pro","input":[{"type":"user_input","content":"x"}]}`:                     dialect.Likely,
		`{"agent":"deep-research","input":"x","agent_config":{"type":"deep-research"}}`:              dialect.Likely,
		`{"model":"gemini-3-pro","input":"x","stream":true}`:                                         dialect.Possible,
		`{"model":"gpt-5","input":"x","stream":true}`:                                                dialect.No,
		`{"model":"gpt-5","input":[{"type":"message","role":"user","content":"x"}]}`:                 dialect.No,
		`{"contents":[{"parts":[{"text":"x"}]}],"system_instruction":{"parts":[{"text":"Brief."}]}}`: dialect.No,
	} {
		in := &dialect.Input{Frame: &schema.Frame{Direction: schema.Send}, JSON: fastjson.MustParse(line)}
		if got, _ := match(in); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}

func TestPlace(t *testing.T) {
	tests := []struct {
		method, path string
		creates      bool
		viewed       string
	}{
		{"POST", "/v1beta/interactions", true, ""},
		{"POST", "/v1beta1/projects/p/locations/global/interactions", true, ""},
		{"GET", "/v1beta/interactions/v1_a", false, "v1_a"},
		{"POST", "/v1beta/interactions/v1_a/cancel", false, "v1_a"},
		{"DELETE", "/v1beta/interactions/v1_a", false, ""},
		{"POST", "/v1beta/models/gemini-3-pro:generateContent", false, ""},
		{"GET", "/v1beta/interactions", false, ""},
		{"POST", "/interactions", false, ""},
		{"POST", "/api/v10/interactions/1/token/callback", false, ""},
	}
	for _, test := range tests {
		creates, viewed := placeOf(&dialect.Head{Method: []byte(test.method), Path: []byte(test.path)})
		if creates != test.creates || string(viewed) != test.viewed {
			t.Errorf("%s %s: %v %q", test.method, test.path, creates, viewed)
		}
	}
}
