package compozy

import (
	"fmt"
	"runtime"
	"testing"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// executions makes a stream with one agent's execution after the other: turns with a call of the
// model, in small chunks, and a tool call.
func executions(n, turns, chunks int) []schema.Frame {
	var frames []schema.Frame
	id := 0
	say := func(event, format string, values ...any) {
		id++
		raw := fmt.Sprintf("id: %d\nevent: %s\ndata: ", id, event) + fmt.Sprintf(format, values...) + "\n\n"
		frames = append(frames, schema.Frame{
			Seq: uint64(len(frames)), At: dialecttest.Start + int64(len(frames))*1e6, Transport: schema.SSE, Raw: []byte(raw),
		})
	}
	for x := range n {
		id = 0
		sequence := 0
		say("agent_status", `{"status":"RUNNING","ts":"2026-01-01T00:%02d:%02dZ"}`, x/60, x%60)
		for turn := range turns {
			say("status", `{"component":"agent","task_id":"t%d","stage":"llm_request","iteration":%d}`, x, turn)
			for range chunks {
				sequence++
				say("llm_chunk", `{"component":"agent","task_id":"t%d","sequence":%d,"content":" word"}`, x, sequence)
			}
			say("status", `{"component":"agent","task_id":"t%d","stage":"llm_response","iteration":%d}`, x, turn)
			say("tool_call", `{"component":"agent","tool_call_id":"c%d_%d","tool_name":"read","status":"success","duration_ms":12.5,"input":"{\"path\":\"a\"}","output":"text","redacted":false}`, x, turn)
		}
		say("complete", `{"status":"SUCCESS","usage":[{"provider":"openai","model":"gpt-4o","prompt_tokens":%d,"completion_tokens":4,"total_tokens":%d}],"result":{"n":%d},"ts":"2026-01-01T01:00:00Z"}`, x, x+4, x)
	}
	return frames
}

func BenchmarkDecode(b *testing.B) { dialecttest.Bench(b, Dialect, executions(50, 5, 100)) }

func TestIdle(t *testing.T) {
	frames := executions(40, 10, 100)
	dialecttest.Idle(t, Dialect, frames, 2)
	runtime.KeepAlive(frames)
}

// Events that a server sends again after a reconnect emit nothing twice, and the ids of an
// agent's stream do not count as lost frames.
func TestReplayedStream(t *testing.T) {
	once := executions(1, 3, 5)
	cut := len(once) - 1
	var frames []schema.Frame
	frames = append(frames, once[:cut]...)
	for _, f := range once {
		f.Seq = uint64(len(frames))
		f.At = dialecttest.Start + int64(len(frames))*1e6
		frames = append(frames, f)
	}
	text := func(frames []schema.Frame) (all string, spans int) {
		o, err := dialecttest.Play(Dialect, frames, frames[len(frames)-1].At, func(i int) (bool, bool) { return i%7 == 0, true })
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range o.Frames {
			if f.Flags != 0 {
				t.Errorf("frame %d is marked %s", f.Seq, f.Flags)
			}
		}
		for _, m := range o.Facts.Messages {
			all += m.Text + "|"
		}
		return all, len(o.Facts.Spans)
	}
	want, spans := text(once)
	if got, n := text(frames); got != want || n != spans {
		t.Errorf("%d spans and %q, want %d and %q", n, got, spans, want)
	}
}
