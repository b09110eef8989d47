package adk

import (
	"fmt"
	"runtime"
	"testing"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// invocations makes a stream of invocations: text in pieces and whole, a tool call, its result,
// and the answer.
func invocations(n, pieces int) []schema.Frame {
	var frames []schema.Frame
	for i := range n {
		event := func(content, rest string) {
			raw := fmt.Sprintf("data: {\"invocationId\":\"e-%d\",\"author\":\"root\",\"id\":\"x-%d\",\"content\":%s,\"actions\":{}%s}\n\n",
				i, len(frames), content, rest)
			frames = append(frames, schema.Frame{
				Seq: uint64(len(frames)), At: dialecttest.Start + int64(len(frames))*1e6, Transport: schema.SSE, Raw: []byte(raw),
			})
		}
		usage := `,"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":50,"totalTokenCount":150}`
		for range pieces {
			event(`{"parts":[{"text":" word"}],"role":"model"}`, `,"partial":true`+usage)
		}
		event(fmt.Sprintf(`{"parts":[{"text":"words"},{"functionCall":{"id":"adk-%d","name":"read","args":{"path":"a"}}}],"role":"model"}`, i), usage)
		event(fmt.Sprintf(`{"parts":[{"functionResponse":{"id":"adk-%d","name":"read","response":{"result":"b"}}}],"role":"user"}`, i), "")
		event(`{"parts":[{"text":"Done."}],"role":"model"}`, usage)
	}
	return frames
}

func BenchmarkDecode(b *testing.B) { dialecttest.Bench(b, Dialect, invocations(50, 100)) }

func TestIdle(t *testing.T) {
	frames := invocations(200, 50)
	dialecttest.Idle(t, Dialect, frames, 2)
	runtime.KeepAlive(frames)
}
