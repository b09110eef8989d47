package geminichat

import (
	"fmt"
	"testing"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// chat makes a log of prompts, messages with a tool call and its result, and answers.
func chat(n int) []schema.Frame {
	frames := []schema.Frame{{Transport: schema.NDJSON, Raw: []byte(
		`{"sessionId":"s-1","projectHash":"p","startTime":"2026-01-01T00:00:00.000Z","lastUpdated":"2026-01-01T00:00:00.000Z","kind":"main"}` + "\n")}}
	line := func(typ, members string) {
		k := len(frames)
		raw := fmt.Sprintf(`{"id":"m%d","timestamp":"2026-01-01T00:%02d:%02d.000Z","type":"%s",%s}`+"\n", k, k/60%60, k%60, typ, members)
		frames = append(frames, schema.Frame{Transport: schema.NDJSON, Raw: []byte(raw)})
	}
	const tokens = `"tokens":{"input":100,"output":10,"cached":0,"thoughts":5,"tool":0,"total":115},"model":"gemini-2.5-pro"`
	for i := range n {
		line("user", `"content":[{"text":"List the files."}]`)
		line("gemini", fmt.Sprintf(`"content":"","thoughts":[{"subject":"Plan","description":"Look."}],%s,"toolCalls":[{"id":"ls-%d","name":"list_directory","args":{"path":"."},`+
			`"result":[{"functionResponse":{"id":"ls-%d","name":"list_directory","response":{"output":"a"}}}],"status":"success"}]`, tokens, i, i))
		line("gemini", `"content":"One file.","thoughts":[],`+tokens)
	}
	return frames
}

func BenchmarkDecode(b *testing.B) { dialecttest.Bench(b, Dialect, chat(200)) }
