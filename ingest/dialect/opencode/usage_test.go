package opencode

import (
	"fmt"
	"testing"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

func framesOf(transport schema.Transport, lines ...string) []schema.Frame {
	var frames []schema.Frame
	for i, line := range lines {
		f := schema.Frame{Seq: uint64(i), At: dialecttest.Start + int64(i+1)*1e6, Transport: transport, Raw: []byte(line + "\n")}
		if transport == schema.SSE {
			f.Raw = []byte("data: " + line + "\n\n")
		}
		frames = append(frames, f)
	}
	return frames
}

func play(t *testing.T, frames []schema.Frame) *dialecttest.Outcome {
	t.Helper()
	o, err := dialecttest.Play(Dialect, frames, frames[len(frames)-1].At, func(int) (bool, bool) { return true, false })
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A session that is recorded twice, as lines and as the server's events, has usages, calls and
// texts with the same ids: joined by their ids, as readers do, they count once. One message here
// has two steps.
func TestTwoFormsCountOnce(t *testing.T) {
	type step struct {
		message                              string
		input, output, thought, read, writes uint64
	}
	steps := []step{{"msg_1", 100, 20, 5, 1000, 50}, {"msg_1", 30, 7, 0, 1100, 0}, {"msg_2", 8, 9, 1, 0, 0}}
	var want schema.Tokens
	var lines, events []string
	for i, s := range steps {
		want = sum(want, schema.Tokens{Input: s.input, Output: s.output, Reasoning: s.thought, CacheRead: s.read, CacheWrite5m: s.writes})
		tokens := fmt.Sprintf(`{"input":%d,"output":%d,"reasoning":%d,"cache":{"read":%d,"write":%d}}`, s.input, s.output, s.thought, s.read, s.writes)
		part := func(n int, rest string) string {
			return fmt.Sprintf(`{"id":"prt_%d%d","messageID":%q,"sessionID":"s",%s}`, i, n, s.message, rest)
		}
		parts := []struct{ line, part string }{
			{"step_start", part(0, `"type":"step-start"`)},
			{"tool_use", part(1, fmt.Sprintf(`"type":"tool","tool":"read","callID":"call_%d","state":{"status":"completed","input":{},"output":"x","time":{"start":1,"end":2}}`, i))},
			{"text", part(2, `"type":"text","text":"ok","time":{"start":1,"end":2}`)},
			{"step_finish", part(3, `"type":"step-finish","reason":"stop","tokens":`+tokens)},
		}
		for _, p := range parts {
			lines = append(lines, fmt.Sprintf(`{"type":%q,"timestamp":1,"sessionID":"s","part":%s}`, p.line, p.part))
			events = append(events, fmt.Sprintf(`{"type":"message.part.updated","properties":{"part":%s}}`, p.part))
		}
		events = append(events, fmt.Sprintf(`{"type":"message.updated","properties":{"info":{"id":%q,"sessionID":"s","role":"assistant","tokens":%s,"time":{"created":1}}}}`, s.message, tokens))
	}
	usages, tools, texts := map[string]schema.Tokens{}, map[string]bool{}, map[string]bool{}
	for _, frames := range [][]schema.Frame{framesOf(schema.NDJSON, lines...), framesOf(schema.SSE, events...)} {
		o := play(t, frames)
		var got schema.Tokens
		for _, u := range o.Facts.Usages {
			got = sum(got, u.Tokens)
			if u.Mode != schema.UsageAdd || u.Scope == "" {
				t.Errorf("usage %+v", u)
			}
			usages[u.ID] = u.Tokens
		}
		if got != want {
			t.Errorf("one form alone: %+v, want %+v", got, want)
		}
		for _, s := range o.Facts.Spans {
			if s.Kind == schema.SpanTool {
				tools[s.ID] = true
			}
		}
		for _, m := range o.Facts.Messages {
			if m.Kind == schema.MessageAssistant {
				texts[m.ID] = true
			}
		}
	}
	var got schema.Tokens
	for _, tokens := range usages {
		got = sum(got, tokens)
	}
	if got != want || len(tools) != len(steps) || len(texts) != len(steps) {
		t.Errorf("both together: %+v, %d calls, %d texts; want %+v, %d of each", got, len(tools), len(texts), want, len(steps))
	}
}

// The number of sessions that are kept is bounded.
func TestManySessions(t *testing.T) {
	var lines []string
	for i := range 500 {
		lines = append(lines, fmt.Sprintf(`{"type":"message.updated","properties":{"info":{"id":"m%d","sessionID":"s%d","role":"user"}}}`, i, i))
		if i%2 == 0 {
			lines = append(lines, fmt.Sprintf(`{"type":"session.idle","properties":{"sessionID":"s%d"}}`, i))
		}
	}
	o := play(t, framesOf(schema.SSE, lines...))
	status := map[schema.Status]int{}
	for _, s := range o.Facts.Spans {
		status[s.Status]++
	}
	if status[schema.StatusOK] != 250 || status[schema.StatusUnclosed] != 250 {
		t.Errorf("%v, want 250 of each", status)
	}
}

func sum(a, b schema.Tokens) schema.Tokens {
	return schema.Tokens{
		Input: a.Input + b.Input, CacheRead: a.CacheRead + b.CacheRead,
		CacheWrite5m: a.CacheWrite5m + b.CacheWrite5m, CacheWrite1h: a.CacheWrite1h + b.CacheWrite1h,
		Output: a.Output + b.Output, Reasoning: a.Reasoning + b.Reasoning,
	}
}
