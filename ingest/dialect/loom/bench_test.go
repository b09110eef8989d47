package loom

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// The benchmarks decode frames like those of the project's published measurements: sessions of
// several rounds, each with message chunks, a usage, a tool call and the tool's run. Every frame
// has its full envelope.

var benchWords = strings.Fields("the agent reads file and then writes a summary of tool output with tokens and latency")

func benchText(random *rand.Rand, words int) string {
	text := make([]string, words)
	for i := range text {
		text[i] = benchWords[random.IntN(len(benchWords))]
	}
	return strings.Join(text, " ")
}

// benchFrames makes at least n frames.
func benchFrames(n int) [][]byte {
	random := rand.New(rand.NewPCG(7, 7))
	var frames [][]byte
	for number := 1; len(frames) < n; number++ {
		event := 0
		say := func(node, format string, values ...any) {
			event++
			line := fmt.Sprintf(`{"session_id":"sess-%06d","node_id":"%s","event_id":%d,`, number, node, event)
			frames = append(frames, []byte(line+fmt.Sprintf(format, values...)+"}"))
		}
		think := "run-think-0"
		say(think, `"type":"run_start","run_id":"run-%d","message":"%s","agent":"react"`, number, benchText(random, 8))
		act := ""
		for step := range 2 + random.IntN(5) {
			think, act = fmt.Sprintf("run-think-%d", step), fmt.Sprintf("run-act-%d", step)
			call := fmt.Sprintf("call_%d_%d", number, step)
			say(think, `"type":"node_enter","id":"think"`)
			for range 20 + random.IntN(41) {
				say(think, `"type":"message_chunk","content":" %s","id":"think"`, benchText(random, 1))
			}
			prompt, completion := 500+random.IntN(3501), 20+random.IntN(381)
			say(think, `"type":"usage","prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d`, prompt, completion, prompt+completion)
			say(think, `"type":"tool_call","call_id":"%s","name":"bash","arguments":{"path":"src/main.rs","n":%d}`, call, step)
			say(think, `"type":"node_exit","id":"think","result":"Ok"`)
			say(act, `"type":"node_enter","id":"act"`)
			say(act, `"type":"tool_start","call_id":"%s","name":"bash"`, call)
			for range random.IntN(4) {
				say(act, `"type":"tool_output","call_id":"%s","name":"bash","content":"%s"`, call, benchText(random, 30))
			}
			say(act, `"type":"tool_end","call_id":"%s","name":"bash","result":"%s","is_error":%t`, call, benchText(random, 60), random.Float64() < 0.05)
			say(act, `"type":"node_exit","id":"act","result":"Ok"`)
		}
		say(act, `"reply":"%s"`, benchText(random, 50))
	}
	return frames
}

// wrapFrames wraps events for a WebSocket.
func wrapFrames(frames [][]byte) [][]byte {
	var wrapped [][]byte
	for _, f := range frames {
		var head struct {
			Session string `json:"session_id"`
			Reply   *string
		}
		if err := json.Unmarshal(f, &head); err != nil {
			panic(err)
		}
		if head.Reply != nil {
			wrapped = append(wrapped, fmt.Appendf(nil, `{"type":"run_end","id":"run-%s",%s`, head.Session, f[1:]))
			continue
		}
		wrapped = append(wrapped, fmt.Appendf(nil, `{"type":"run_stream_event","id":"run-%s","event":%s}`, head.Session, f))
	}
	return wrapped
}

func benchmark(b *testing.B, frames [][]byte, transport schema.Transport, parseOnly bool) {
	size := 0
	for _, f := range frames {
		size += len(f)
	}
	b.SetBytes(int64(size / len(frames)))
	b.ReportAllocs()
	var parser fastjson.Parser
	decoder, emitter := newDecoder(""), dialect.NewEmitter("019b7000-0000-7000-8000-000000000001")
	facts, seq := 0, uint64(0)
	var frame schema.Frame
	in := dialect.Input{Frame: &frame}
	for b.Loop() {
		raw := frames[seq%uint64(len(frames))]
		frame = schema.Frame{Seq: seq, At: int64(seq) * 1e6, Transport: transport, Raw: raw}
		if err := fastjson.ValidateBytes(raw); err != nil {
			b.Fatal(err)
		}
		value, err := parser.ParseBytes(raw)
		if err != nil {
			b.Fatal(err)
		}
		if !parseOnly {
			in.Data, in.JSON = raw, value
			decoder.Decode(&in, emitter)
		}
		seq++
		if seq%1024 == 0 {
			taken, _ := emitter.Take(frame.At, false)
			emitter.TakeTitles()
			facts += taken.Len()
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
	b.ReportMetric(float64(facts)/float64(b.N), "facts/frame")
}

func BenchmarkLines(b *testing.B) { benchmark(b, benchFrames(50000), schema.NDJSON, false) }
func BenchmarkWebSocket(b *testing.B) {
	benchmark(b, wrapFrames(benchFrames(50000)), schema.WebSocket, false)
}

// BenchmarkParseOnly measures the part of BenchmarkLines that comes before the decoder.
func BenchmarkParseOnly(b *testing.B) { benchmark(b, benchFrames(50000), schema.NDJSON, true) }
