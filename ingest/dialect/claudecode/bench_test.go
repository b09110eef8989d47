package claudecode

import (
	"fmt"
	"runtime"
	"testing"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// partialRuns makes runs with partial messages, which consist almost entirely of small chunks.
func partialRuns(n int) []schema.Frame {
	const envelope = `,"session_id":"c9f2f2c6-2a90-4cd3-96c0-d36dc6367126","parent_tool_use_id":null,"uuid":"a548ad20-abdd-4e5f-bdef-6d54a12f1d9b"}`
	var frames []schema.Frame
	say := func(format string, values ...any) {
		frames = append(frames, schema.Frame{Raw: []byte(fmt.Sprintf(format, values...) + envelope + "\n")})
	}
	event := func(format string, values ...any) { say(`{"type":"stream_event","event":`+format, values...) }
	for i := range n {
		say(`{"type":"system","subtype":"init","cwd":"/w","tools":["Read"],"model":"claude-haiku-4-5","permissionMode":"default"`)
		event(`{"type":"message_start","message":{"id":"msg_%d","role":"assistant","model":"claude-haiku-4-5-20251001","usage":{"input_tokens":10,"cache_creation_input_tokens":8005,"cache_read_input_tokens":17536,"output_tokens":4}}}`, i)
		event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
		for range 300 {
			event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" token"}}`)
		}
		event(`{"type":"content_block_stop","index":0}`)
		event(`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_%d","name":"Read","input":{}}}`, i)
		event(`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"file_path\": \"a.txt\"}"}}`)
		event(`{"type":"content_block_stop","index":1}`)
		say(`{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_%d","type":"tool_result","content":"1\thello"}]}`, i)
		event(`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":148}}`)
		event(`{"type":"message_stop"}`)
		say(`{"type":"result","subtype":"success","is_error":false,"num_turns":1,"duration_ms":100,"result":"done","usage":{"input_tokens":10,"cache_creation_input_tokens":8005,"cache_read_input_tokens":17536,"output_tokens":148}`)
	}
	return frames
}

func BenchmarkSmallFrames(b *testing.B) { dialecttest.Bench(b, Dialect, partialRuns(20)) }

func TestIdle(t *testing.T) {
	frames := partialRuns(20)
	dialecttest.Idle(t, Dialect, frames, 5)
	runtime.KeepAlive(frames) // excludes its memory from the measurement
	dialecttest.Idle(t, Dialect, dialecttest.Case(t, "testdata/cases/agents.txtar"), 50)
}
