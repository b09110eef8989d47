package gemini

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/internal/speedtest"
	"tapedeck/schema"
)

// responses makes a stream of answers: thoughts, text in small chunks, each with the usage so
// far, and a function call.
func responses(n, chunks int) []schema.Frame {
	var frames []schema.Frame
	for r := range n {
		say := func(candidate string, i int) {
			raw := fmt.Sprintf("data: {\"candidates\":[{%s,\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":100,\"candidatesTokenCount\":%d,"+
				"\"thoughtsTokenCount\":50,\"totalTokenCount\":%d},\"modelVersion\":\"gemini-2.5-pro\",\"responseId\":\"resp-%d\"}\n\n", candidate, i, 150+i, r)
			frames = append(frames, schema.Frame{
				Seq: uint64(len(frames)), At: dialecttest.Start + int64(len(frames))*1e6, Transport: schema.SSE, Raw: []byte(raw),
			})
		}
		say(`"content":{"parts":[{"text":"thinking","thought":true}],"role":"model"}`, 0)
		for i := range chunks {
			say(`"content":{"parts":[{"text":" word"}],"role":"model"}`, i)
		}
		say(fmt.Sprintf(`"content":{"parts":[{"functionCall":{"id":"fc_%d","name":"read","args":{"path":"a"}}}],"role":"model"}`, r), chunks)
		say(`"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP"`, chunks)
	}
	return frames
}

func BenchmarkDecode(b *testing.B) { dialecttest.Bench(b, Dialect, responses(50, 100)) }

func TestIdle(t *testing.T) {
	frames := responses(200, 50)
	dialecttest.Idle(t, Dialect, frames, 2)
	runtime.KeepAlive(frames)
}

// The state is bounded for any number of candidates and requests.
func TestBounds(t *testing.T) {
	d := newDecoder("").(*decoder)
	a := &d.answer
	for i := range 1000 {
		a.of(i).done = true
	}
	if len(a.candidates) > candidateLimit {
		t.Errorf("%d candidates are kept", len(a.candidates))
	}
}

// The time for a chunk with very many parts is linear in its length.
func TestManyParts(t *testing.T) {
	part := `{"functionCall":{"name":"f","args":{}}},{"text":"x"}`
	const n = 50000
	raw := `{"candidates":[{"content":{"parts":[` + strings.Repeat(part+",", n) + part + `]},"finishReason":"STOP"}]}`
	in := dialect.Input{Frame: &schema.Frame{At: dialecttest.Start, Raw: []byte(raw)}, Data: []byte(raw), JSON: fastjson.MustParse(raw)}
	emitter := dialect.NewEmitter(dialecttest.StreamID)
	began := time.Now()
	newDecoder("").Decode(&in, emitter)
	speedtest.Within(t, "decoding the parts", time.Since(began), 10*time.Second)
	if facts, _ := emitter.Take(0, true); len(facts.Messages) < 2*n {
		t.Errorf("%d messages", len(facts.Messages))
	}
}
