package codexrollout

import (
	"fmt"
	"testing"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// turns makes a file of turns: a prompt, a thought, a tool call, its result, the answer, and the
// session's total tokens.
func turns(n int) []schema.Frame {
	var frames []schema.Frame
	line := func(typ, payload string) {
		raw := fmt.Sprintf(`{"timestamp":"2026-01-01T%02d:%02d:%02d.%03dZ","type":"%s","payload":{%s}}`+"\n",
			len(frames)/3600000, len(frames)/60000%60, len(frames)/1000%60, len(frames)%1000, typ, payload)
		frames = append(frames, schema.Frame{Transport: schema.NDJSON, Raw: []byte(raw)})
	}
	line("session_meta", `"id":"s-1","cwd":"/w","cli_version":"0.106.0","model_provider":"openai"`)
	for i := range n {
		line("event_msg", fmt.Sprintf(`"type":"task_started","turn_id":"t-%d"`, i))
		line("turn_context", fmt.Sprintf(`"turn_id":"t-%d","cwd":"/w","model":"gpt-5.2"`, i))
		line("response_item", `"type":"message","role":"user","content":[{"type":"input_text","text":"List the files."}]`)
		line("event_msg", `"type":"user_message","message":"List the files."`)
		line("response_item", `"type":"reasoning","summary":[{"type":"summary_text","text":"Looking."}],"encrypted_content":"gAAA"`)
		line("response_item", fmt.Sprintf(`"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"call_%d"`, i))
		line("response_item", fmt.Sprintf(`"type":"function_call_output","call_id":"call_%d","output":"Process exited with code 0\nOutput:\na\nb\n"`, i))
		line("response_item", `"type":"message","role":"assistant","content":[{"type":"output_text","text":"Two files."}]`)
		line("event_msg", fmt.Sprintf(`"type":"token_count","info":{"total_token_usage":{"input_tokens":%d,"output_tokens":%d,"total_tokens":%d}}`,
			1000*(i+1), 50*(i+1), 1050*(i+1)))
		line("event_msg", fmt.Sprintf(`"type":"task_complete","turn_id":"t-%d","last_agent_message":"Two files."`, i))
	}
	return frames
}

func BenchmarkDecode(b *testing.B) { dialecttest.Bench(b, Dialect, turns(100)) }
