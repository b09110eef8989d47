package pi

import (
	"fmt"
	"testing"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// entries makes a session's file: prompts, tool calls with their results, and answers.
func entries(n int) []schema.Frame {
	frames := []schema.Frame{{Transport: schema.NDJSON, Raw: []byte(
		`{"type":"session","version":3,"id":"s-1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}` + "\n")}}
	entry := func(message string) {
		k := len(frames)
		raw := fmt.Sprintf(`{"type":"message","id":"e%d","parentId":"e%d","timestamp":"2026-01-01T00:%02d:%02d.000Z","message":{%s,"timestamp":%d}}`+"\n",
			k, k-1, k/60%60, k%60, message, 1767225600000+1000*k)
		frames = append(frames, schema.Frame{Transport: schema.NDJSON, Raw: []byte(raw)})
	}
	const said = `"api":"openai-responses","provider":"openai","model":"gpt-5.1","usage":{"input":100,"output":10,"cacheRead":0,"cacheWrite":0,"totalTokens":110}`
	for i := range n {
		entry(`"role":"user","content":[{"type":"text","text":"Read a."}]`)
		entry(fmt.Sprintf(`"role":"assistant","content":[{"type":"toolCall","id":"call_%d","name":"read","arguments":{"path":"a"}}],%s,"stopReason":"toolUse"`, i, said))
		entry(fmt.Sprintf(`"role":"toolResult","toolCallId":"call_%d","toolName":"read","content":[{"type":"text","text":"A"}],"isError":false`, i))
		entry(`"role":"assistant","content":[{"type":"text","text":"It is A."}],` + said + `,"stopReason":"stop"`)
	}
	return frames
}

func BenchmarkDecode(b *testing.B) { dialecttest.Bench(b, Dialect, entries(200)) }
