package anthropicagent

import (
	"fmt"
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// benchFrames makes a run of envelopes: thinking, text and calls in small pieces.
func benchFrames(agents int) []schema.Frame {
	var frames []schema.Frame
	say := func(format string, values ...any) {
		frames = append(frames, schema.Frame{Transport: schema.SSE, Raw: []byte("data: " + fmt.Sprintf(format, values...) + "\n\n")})
	}
	const id = "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4b%02d"
	root := fmt.Sprintf(id, 0)
	say(`{"type":"meta_init","agent":"%s","final":true,"delta":"{\"format\":\"json\",\"user_query\":\"q\",\"agent_uuid\":\"%s\",\"model\":\"claude-sonnet-4-5\"}"}`, root, root)
	for step := range 20 {
		for word := range 60 {
			a := fmt.Sprintf(id, word%agents)
			say(`{"type":"text","agent":"%s","final":false,"delta":" word%d"}`, a, word)
		}
		for i := range agents {
			say(`{"type":"text","agent":"%s","final":true,"delta":""}`, fmt.Sprintf(id, i))
		}
		say(`{"type":"tool_call","agent":"%s","final":true,"delta":"{\"path\": \"src/main.rs\"}","id":"toolu_%d","name":"read_file"}`, root, step)
		say(`{"type":"tool_result","agent":"%s","final":true,"delta":"line one\nline two","id":"toolu_%d","name":"read_file"}`, root, step)
	}
	say(`{"type":"meta_final","agent":"%s","final":true,"delta":"{\"stop_reason\":\"end_turn\",\"total_steps\":20,\"cumulative_usage\":{\"input_tokens\":1000,\"output_tokens\":300}}"}`, root)
	say(`[DONE]`)
	return frames
}

func BenchmarkEnvelopes(b *testing.B) { dialecttest.Bench(b, Dialect, benchFrames(1)) }
func BenchmarkAgents(b *testing.B)    { dialecttest.Bench(b, Dialect, benchFrames(4)) }

func BenchmarkTags(b *testing.B) {
	var frames []schema.Frame
	say := func(text string) {
		frames = append(frames, schema.Frame{Transport: schema.SSE, Raw: []byte("data: " + text + "\n\n")})
	}
	say(`<meta_init data="{&quot;agent_uuid&quot;:&quot;a&quot;,&quot;user_query&quot;:&quot;q&quot;}"></meta_init>`)
	for range 50 {
		say("<content-block-text>")
		for range 50 {
			say(` some text and a \n newline`)
		}
		say("</content-block-text>")
	}
	say("[DONE]")
	dialecttest.Bench(b, Dialect, frames)
}

func TestIdle(t *testing.T) {
	dialecttest.Idle(t, Dialect, benchFrames(4), 3)
	for _, name := range []string{"turn", "agents", "pause", "successor", "raw"} {
		dialecttest.Idle(t, Dialect, dialecttest.Case(t, "testdata/cases/"+name+".txtar"), 50)
	}
}

// The state that a hostile stream can cause is bounded: agents, payloads that never end, and
// unfinished tags.
func TestBounded(t *testing.T) {
	d := newDecoder("").(*decoder)
	emitter := dialect.NewEmitter("019b7000-0000-7000-8000-000000000001")
	feed := func(seq int, data string) {
		frame := schema.Frame{Seq: uint64(seq), At: int64(seq) * 1e6, Transport: schema.WebSocket, Raw: []byte(data)}
		in := dialect.Input{Frame: &frame, Data: frame.Raw, JSON: parsed(data)}
		d.Decode(&in, emitter)
		emitter.Take(frame.At, true)
	}
	long := make([]byte, 1<<20)
	for i := range long {
		long[i] = 'x'
	}
	for i := range 100 {
		feed(i, fmt.Sprintf(`{"type":"meta_final","agent":"a-%d","final":false,"delta":"%s"}`, i, long))
	}
	held := 0
	for _, b := range d.payloads {
		held += cap(b.text)
	}
	if len(d.agents) > agentLimit || len(d.payloads) > openPayloads || held > 4*payloadLimit {
		t.Errorf("%d agents, %d payloads of %d bytes are kept", len(d.agents), len(d.payloads), held)
	}
	for i := range 100 {
		feed(100+i, `<meta_init data="`+string(long))
	}
	if n := cap(d.markup.held); n > 4*payloadLimit {
		t.Errorf("%d bytes of a tag without an end are kept", n)
	}
}

func parsed(data string) *fastjson.Value {
	v, err := fastjson.Parse(data)
	if err != nil {
		return nil
	}
	return v
}
