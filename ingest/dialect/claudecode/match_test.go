package claudecode

import (
	"testing"
	"time"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

func input(text string) *dialect.Input {
	return &dialect.Input{Frame: &schema.Frame{}, Data: []byte(text), JSON: fastjson.MustParse(text)}
}

func TestMatch(t *testing.T) {
	for text, want := range map[string]dialect.Confidence{
		`{"type":"system","subtype":"init","session_id":"s","cwd":"/w","tools":[],"permissionMode":"x"}`: dialect.Certain,
		`{"type":"system","subtype":"init","session_id":"s","tools":[],"mcp_servers":[]}`:                dialect.Certain,
		`{"type":"system","subtype":"init","session_id":"s","tools":[],"qwen_code_version":"0.14.0"}`:    dialect.Certain,
		`{"type":"system","subtype":"init","session_id":"s","cwd":"/w","tools":["Read"],"model":"m"}`:    dialect.Likely,
		`{"type":"system","subtype":"hook_started","session_id":"s"}`:                                    dialect.Likely,
		`{"type":"system","message":"x"}`: dialect.No,
		`{"type":"assistant","message":{"role":"assistant"},"parent_tool_use_id":null,"session_id":"s"}`: dialect.Certain,
		`{"type":"user","message":{"role":"user"},"session_id":"s"}`:                                     dialect.Likely,
		`{"type":"assistant","message":"x","session_id":"s"}`:                                            dialect.No,
		`{"type":"user","content":"x"}`:                                                                  dialect.No,
		`{"type":"stream_event","event":{"type":"message_stop"},"session_id":"s"}`:                       dialect.Certain,
		`{"type":"stream_event","event":{"type":"message_stop"}}`:                                        dialect.No,
		`{"type":"result","subtype":"success","session_id":"s","num_turns":1}`:                           dialect.Certain,
		`{"type":"result","status":"success","stats":{}}`:                                                dialect.No,
		`{"type":"rate_limit_event","rate_limit_info":{}}`:                                               dialect.Likely,
		`{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool"}}`:               dialect.Likely,
		`{"type":"message","role":"assistant"}`:                                                          dialect.No,
		`[]`:                                                                                             dialect.No,
	} {
		if sure, why := match(input(text)); sure != want || (why == "") != (sure == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", text, sure, why, want)
		}
	}
	sent := input(`{"type":"user","message":{"role":"user","content":"Hi"}}`)
	sent.Direction = schema.Send
	if sure, _ := match(sent); sure != dialect.Possible {
		t.Errorf("what is sent: %d", sure)
	}
}

func TestTime(t *testing.T) {
	for text, want := range map[string]int64{
		`{"type":"user","timestamp":"2026-07-25T23:32:55.514Z"}`:       time.Date(2026, 7, 25, 23, 32, 55, 514e6, time.UTC).UnixNano(),
		`{"type":"user","timestamp":"2026-07-26T01:32:55+02:00"}`:      time.Date(2026, 7, 25, 23, 32, 55, 0, time.UTC).UnixNano(),
		`{"type":"system","startup_timing":{"time_origin_ms":1000.5}}`: 1000_500_000,
		`{"type":"user","timestamp":"yesterday"}`:                      0,
		`{"type":"user","timestamp":1785022375514}`:                    0,
		`{"type":"system","startup_timing":{"time_origin_ms":-1}}`:     0,
		`{"type":"system","startup_timing":{"time_origin_ms":1e300}}`:  0,
		`{"type":"user"}`: 0,
	} {
		if got := timeOf(input(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
	if timeOf(&dialect.Input{Frame: &schema.Frame{}}) != 0 {
		t.Error("text has a time")
	}
}
