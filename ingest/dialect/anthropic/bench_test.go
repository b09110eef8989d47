package anthropic

import (
	"fmt"
	"runtime"
	"testing"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// smallFrames makes a stream that consists almost entirely of small chunks, as models send it.
func smallFrames(messages int) []schema.Frame {
	var frames []schema.Frame
	say := func(event, format string, values ...any) {
		data := fmt.Sprintf(`{"type":"`+event+`"`+format+"}", values...)
		frames = append(frames, schema.Frame{Transport: schema.SSE, Raw: []byte("event: " + event + "\ndata: " + data + "\n\n")})
	}
	for n := range messages {
		say("message_start", `,"message":{"id":"msg_%d","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[],"stop_reason":null,"usage":{"input_tokens":589,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":1,"service_tier":"standard"}}`, n)
		say("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`)
		for range 300 {
			say("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":" token"}`)
		}
		say("content_block_stop", `,"index":0`)
		say("content_block_start", `,"index":1,"content_block":{"type":"tool_use","id":"toolu_%d","name":"ls","input":{}}`, n)
		say("content_block_delta", `,"index":1,"delta":{"type":"input_json_delta","partial_json":"{\"path\":"}`)
		for range 30 {
			say("content_block_delta", `,"index":1,"delta":{"type":"input_json_delta","partial_json":" "}`)
		}
		say("content_block_delta", `,"index":1,"delta":{"type":"input_json_delta","partial_json":"\".\"}"}`)
		say("content_block_stop", `,"index":1`)
		say("message_delta", `,"delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":340}`)
		say("message_stop", "")
	}
	return frames
}

func BenchmarkSmallFrames(b *testing.B) { dialecttest.Bench(b, Dialect, smallFrames(20)) }

func TestIdle(t *testing.T) {
	frames := smallFrames(40)
	dialecttest.Idle(t, Dialect, frames, 5)
	runtime.KeepAlive(frames) // excludes its memory from the measurement
	dialecttest.Idle(t, Dialect, dialecttest.Case(t, "testdata/cases/exchange.txtar"), 200)
}
