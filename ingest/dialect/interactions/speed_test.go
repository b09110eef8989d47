package interactions

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// interactions makes a stream of interactions: a thought, text in small pieces with a
// source, and a function to call.
func interactions(n, pieces int) []schema.Frame {
	var frames []schema.Frame
	event := func(format string, values ...any) {
		raw := fmt.Sprintf("data: "+format+"\n\n", values...)
		frames = append(frames, schema.Frame{
			Seq: uint64(len(frames)), At: dialecttest.Start + int64(len(frames))*1e6, Transport: schema.SSE, Raw: []byte(raw),
		})
	}
	for i := range n {
		event(`{"interaction":{"id":"v1_%d","status":"in_progress","object":"interaction","model":"gemini-2.5-flash"},"event_type":"interaction.created"}`, i)
		event(`{"index":0,"step":{"type":"thought"},"event_type":"step.start"}`)
		event(`{"index":0,"delta":{"type":"thought_summary","content":{"type":"text","text":"thinking"}},"event_type":"step.delta"}`)
		event(`{"index":0,"event_type":"step.stop"}`)
		event(`{"index":1,"step":{"type":"model_output"},"event_type":"step.start"}`)
		for range pieces {
			event(`{"index":1,"delta":{"text":" word","type":"text"},"event_type":"step.delta"}`)
		}
		event(`{"index":1,"delta":{"annotations":[{"start_index":0,"end_index":4,"url":"u"}],"type":"text_annotation_delta"},"event_type":"step.delta"}`)
		event(`{"index":1,"event_type":"step.stop"}`)
		event(`{"index":2,"step":{"id":"f%d","type":"function_call","name":"read","arguments":{}},"event_type":"step.start"}`, i)
		event(`{"index":2,"delta":{"arguments":"{\"path\":\"a\"}","type":"arguments_delta"},"event_type":"step.delta"}`)
		event(`{"index":2,"event_type":"step.stop"}`)
		event(`{"interaction":{"id":"v1_%d","status":"requires_action","usage":{"total_tokens":150,"total_input_tokens":100,"total_output_tokens":50},"object":"interaction","model":"gemini-2.5-flash"},"event_type":"interaction.completed"}`, i)
	}
	return frames
}

func BenchmarkDecode(b *testing.B) { dialecttest.Bench(b, Dialect, interactions(50, 100)) }

func TestIdle(t *testing.T) {
	frames := interactions(200, 50)
	dialecttest.Idle(t, Dialect, frames, 2)
	runtime.KeepAlive(frames)
}

// The memory for open steps is bounded.
func TestBounds(t *testing.T) {
	d := newDecoder("").(*decoder)
	for i := range 1000 {
		d.at(fastjson.MustParse(fmt.Sprintf(`{"index":%d}`, i)))
	}
	if len(d.steps) > stepLimit {
		t.Errorf("%d steps are kept", len(d.steps))
	}
}
