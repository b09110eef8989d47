package agui

import (
	"fmt"
	"testing"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// stream makes the frames of a run: steps with text and a tool call.
func stream(steps, deltas int) []schema.Frame {
	var frames []schema.Frame
	say := func(format string, values ...any) {
		frames = append(frames, schema.Frame{Transport: schema.SSE, Raw: fmt.Appendf(nil, "data: "+format+"\n\n", values...)})
	}
	say(`{"type":"RUN_STARTED","threadId":"thread_1","runId":"run_1"}`)
	for step := range steps {
		say(`{"type":"STEP_STARTED","stepName":"think"}`)
		say(`{"type":"TEXT_MESSAGE_START","messageId":"m%d","role":"assistant"}`, step)
		for range deltas {
			say(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m%d","delta":" word"}`, step)
		}
		say(`{"type":"TEXT_MESSAGE_END","messageId":"m%d"}`, step)
		say(`{"type":"TOOL_CALL_START","toolCallId":"call_%d","toolCallName":"search"}`, step)
		say(`{"type":"TOOL_CALL_ARGS","toolCallId":"call_%d","delta":"{\"q\":\"x\"}"}`, step)
		say(`{"type":"TOOL_CALL_END","toolCallId":"call_%d"}`, step)
		say(`{"type":"TOOL_CALL_RESULT","messageId":"x","toolCallId":"call_%d","content":"found"}`, step)
		say(`{"type":"STEP_FINISHED","stepName":"think"}`)
	}
	say(`{"type":"RUN_FINISHED","threadId":"thread_1","runId":"run_1","usage":[{"inputTokens":10,"outputTokens":5,"totalTokens":15}]}`)
	return frames
}

func BenchmarkDecode(b *testing.B) { dialecttest.Bench(b, Dialect, stream(5, 60)) }

func TestIdle(t *testing.T) { dialecttest.Idle(t, Dialect, stream(5, 60), 200) }

// The state of a stream in which nothing ends is bounded.
func TestBounds(t *testing.T) {
	var frames []schema.Frame
	say := func(format string, values ...any) {
		n := uint64(len(frames))
		frames = append(frames, schema.Frame{
			Seq: n, At: dialecttest.Start + int64(n), Transport: schema.SSE, Raw: fmt.Appendf(nil, "data: "+format+"\n\n", values...),
		})
	}
	for i := range 2000 {
		say(`{"type":"RUN_STARTED","threadId":"t","runId":"r%d","parentRunId":"r%d"}`, i, i-1)
		if i > 20 {
			say(`{"type":"RUN_STARTED","threadId":"t","runId":"x%d"}`, i)
		}
		for j := range 2 {
			say(`{"type":"STEP_STARTED","stepName":"s%d"}`, i*2+j)
			say(`{"type":"TOOL_CALL_START","toolCallId":"c%d","toolCallName":"x"}`, i*2+j)
			say(`{"type":"TEXT_MESSAGE_START","messageId":"m%d","role":"user"}`, i*2+j)
		}
	}
	say(`{"type":"RUN_STARTED","threadId":"t","runId":"last"}`)
	for i := range 2000 {
		say(`{"type":"STEP_STARTED","stepName":"s%d"}`, i)
		say(`{"type":"TOOL_CALL_START","toolCallId":"d%d","toolCallName":"x"}`, i)
		say(`{"type":"TEXT_MESSAGE_START","messageId":"m%d","role":"user"}`, i)
		say(`{"type":"RAW","source":"usage","event":{"inputTokens":1}}`)
	}
	var made *decoder
	d := Dialect
	d.New = func(id string) dialect.Decoder {
		out := Dialect.New(id)
		made = out.(*decoder)
		return out
	}
	most := func(i int) (bool, bool) {
		r := &made.run
		if len(made.outer) > levelLimit || len(made.abandoned) > abandonedLimit || len(r.places) > placeLimit ||
			len(made.OpenTools()) > 256 || len(r.roles) > roleLimit || len(r.counted) > usageLimit {
			t.Fatalf("after frame %d: %d runs inside of each other, %d gone, %d places, %d calls, %d roles, %d usages", i,
				len(made.outer), len(made.abandoned), len(r.places), len(made.OpenTools()), len(r.roles), len(r.counted))
		}
		return i%100 == 0, false
	}
	if _, err := dialecttest.Play(d, frames, frames[len(frames)-1].At, most); err != nil {
		t.Error(err)
	}
}
