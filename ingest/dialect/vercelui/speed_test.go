package vercelui

import (
	"fmt"
	"testing"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// stream makes the frames of a message: steps with text and a tool call.
func stream(steps, deltas int) []schema.Frame {
	var frames []schema.Frame
	say := func(format string, values ...any) {
		frames = append(frames, schema.Frame{Transport: schema.SSE, Raw: fmt.Appendf(nil, "data: "+format+"\n\n", values...)})
	}
	say(`{"type":"start","messageId":"msg_1"}`)
	for step := range steps {
		say(`{"type":"start-step"}`)
		say(`{"type":"text-start","id":"0"}`)
		for range deltas {
			say(`{"type":"text-delta","id":"0","delta":" word"}`)
		}
		say(`{"type":"text-end","id":"0"}`)
		say(`{"type":"tool-input-start","toolCallId":"call_%d","toolName":"search"}`, step)
		say(`{"type":"tool-input-delta","toolCallId":"call_%d","inputTextDelta":"{\"q\":\"x\"}"}`, step)
		say(`{"type":"tool-input-available","toolCallId":"call_%d","toolName":"search","input":{"q":"x"}}`, step)
		say(`{"type":"tool-output-available","toolCallId":"call_%d","output":{"hits":[1,2,3]}}`, step)
		say(`{"type":"finish-step"}`)
	}
	say(`{"type":"finish","finishReason":"stop","messageMetadata":{"usage":{"inputTokens":10,"outputTokens":5}}}`)
	say(`[DONE]`)
	return frames
}

func BenchmarkDecode(b *testing.B) { dialecttest.Bench(b, Dialect, stream(5, 60)) }

func TestIdle(t *testing.T) { dialecttest.Idle(t, Dialect, stream(5, 60), 200) }

// The state of a stream in which nothing ends is bounded, as is that of a stream whose lines do
// not end.
func TestBounds(t *testing.T) {
	var frames []schema.Frame
	add := func(transport schema.Transport, text string) {
		n := uint64(len(frames))
		frames = append(frames, schema.Frame{Seq: n, At: dialecttest.Start + int64(n), Transport: transport, Raw: []byte(text)})
	}
	for i := range 2000 {
		add(schema.SSE, fmt.Sprintf("data: {\"type\":\"tool-input-available\",\"toolCallId\":\"c%d\",\"toolName\":\"x\",\"input\":{}}\n\n", i))
		add(schema.SSE, fmt.Sprintf("data: {\"type\":\"text-delta\",\"id\":\"t%d\",\"delta\":\"x\"}\n\n", i))
	}
	long := make([]byte, lineLimit/8)
	for i := range long {
		long[i] = 'x'
	}
	for range 20 {
		add(schema.HTTP, string(long))
	}
	var last *decoder
	d := Dialect
	made := d.New
	d.New = func(id string) dialect.Decoder {
		out := made(id)
		last = out.(*decoder)
		return out
	}
	if _, err := dialecttest.Play(d, frames, frames[len(frames)-1].At, func(i int) (bool, bool) {
		if len(last.OpenTools()) > endedCalls || last.run.calls.Len() > endedCalls || len(last.run.said) > saidLimit || cap(last.lines.rest) > 2*lineLimit {
			t.Fatalf("after frame %d: %d calls, %d ended, %d messages, %d bytes of a line", i,
				len(last.OpenTools()), last.run.calls.Len(), len(last.run.said), cap(last.lines.rest))
		}
		return i%100 == 0, false
	}); err != nil {
		t.Error(err)
	}
	if !last.lines.over && last.lines.rest != nil {
		t.Error("a line that is too long is kept")
	}
}
