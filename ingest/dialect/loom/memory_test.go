package loom

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// feed decodes lines, one a millisecond, and discards the facts.
type feed struct {
	decoder *decoder
	emitter *dialect.Emitter
	parser  fastjson.Parser
	seq     uint64
}

func newFeed() *feed {
	return &feed{decoder: newDecoder("").(*decoder), emitter: dialect.NewEmitter(dialecttest.StreamID)}
}

func (f *feed) line(format string, values ...any) *schema.Frame {
	data := fmt.Appendf(nil, format, values...)
	frame := &schema.Frame{Seq: f.seq, At: int64(f.seq+1) * 1e6, Raw: data}
	f.seq++
	value, err := f.parser.ParseBytes(data)
	if err != nil {
		panic(err)
	}
	f.decoder.Decode(&dialect.Input{Frame: frame, Data: data, JSON: value}, f.emitter)
	if f.seq%100 == 0 {
		f.emitter.Take(frame.At, true)
		f.emitter.TakeTitles()
		f.emitter.TakeLost()
	}
	return frame
}

// session writes the frames of one session's run: some calls, and an end unless end is false.
func (f *feed) session(name string, end bool) {
	const head = `{"session_id":"%s","node_id":"n","event_id":%d,`
	id := 0
	say := func(rest string) {
		id++
		f.line(head+rest, name, id)
	}
	say(`"type":"run_start","message":"` + strings.Repeat("m", 200) + `"}`)
	say(`"type":"node_enter","id":"think"}`)
	for range 3 {
		say(`"type":"message_chunk","content":"` + strings.Repeat("c\n", 400) + `","id":"think"}`)
	}
	say(`"type":"tool_call","call_id":"c","name":"t","arguments":{"a":"` + strings.Repeat("a", 2000) + `"}}`)
	say(`"type":"node_exit","id":"think","result":"Ok"}`)
	say(`"type":"tool_start","call_id":"c","name":"t"}`)
	say(`"type":"tool_end","call_id":"c","name":"t","result":"` + strings.Repeat("r", 2000) + `","is_error":false}`)
	if end {
		say(`"reply":"done"}`)
	}
}

// A stream may have any number of sessions one after the other, and on a WebSocket any number of
// runs and other requests.
func TestStateDoesNotGrow(t *testing.T) {
	f := newFeed()
	f.session("the first", true)
	for i := range 5000 {
		f.session(fmt.Sprintf("session-%d", i), true)
	}
	for i := range 5000 {
		f.line(`{"type":"run_stream_event","id":"run-%d","event":{"session_id":"run-%d","node_id":"n","event_id":1,"type":"node_enter","id":"think"}}`, i, i)
		f.line(`{"type":"run_end","id":"run-%d","reply":"x"}`, i)
	}
	d := f.decoder
	if len(d.open) > 1 || len(d.past) > pastLimit {
		t.Errorf("%d lanes open, %d past", len(d.open), len(d.past))
	}
	for i := range 100 {
		f.decoder.Frame = &schema.Frame{}
		f.decoder.requests.ask(fmt.Appendf(nil, "request-%d", i))
	}
	if n := len(d.requests.others); n > waitingOthers {
		t.Errorf("%d requests are waited for", n)
	}
}

// A run is open while it runs, not only when the stream ends.
func TestOpenWhileRunning(t *testing.T) {
	f := newFeed()
	f.line(`{"session_id":"s","node_id":"n","event_id":1,"type":"node_enter","id":"think"}`)
	f.line(`{"session_id":"s","node_id":"n","event_id":2,"type":"tool_start","call_id":"c","name":"t"}`)
	facts, _ := f.emitter.Take(0, true)
	if len(facts.Spans) != 4 {
		t.Errorf("%d spans, not a run, a node, a call of a model and a tool", len(facts.Spans))
	}
	for _, s := range facts.Spans {
		if s.Status != schema.StatusOpen {
			t.Errorf("%s is %s", s.ID, s.Status)
		}
	}
}

// A silent stream costs less than 4 KiB, however much it has seen.
func TestIdleStateIsSmall(t *testing.T) {
	const streams, limit = 20, 4 << 10
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	name := func(i int) string { return fmt.Sprintf("0b54bb0c-3e9a-4c3d-9a53-%012d", i) }
	read := func() *decoder {
		f := newFeed()
		for i := range openLimit {
			f.session(name(i), false) // all of them concurrently, …
		}
		for i := range openLimit {
			f.line(`{"session_id":"%s","reply":"late","event_id":"%s"}`, name(i), strings.Repeat("9", 5000))
		}
		for i := range pastLimit {
			f.session(name(openLimit+i), true) // … then one after the other
		}
		return f.decoder
	}
	kept := []*decoder{read()} // what the packages allocate once does not count
	before := heap()
	for range streams {
		kept = append(kept, read())
	}
	each := int64(heap()-before) / streams
	t.Logf("%d bytes for each of %d decoders", each, streams)
	if each > limit {
		t.Errorf("an idle decoder takes %d bytes, more than %d", each, limit)
	}
	runtime.KeepAlive(kept)
}

// With more runs in progress than the limit, the one without a frame for longest is evicted.
func TestTooManyRuns(t *testing.T) {
	var frames []schema.Frame
	say := func(format string, values ...any) {
		n := uint64(len(frames))
		frames = append(frames, schema.Frame{
			Seq: n, At: dialecttest.Start + int64(n)*1e6, Raw: fmt.Appendf(nil, format+"\n", values...),
		})
	}
	for i := range openLimit {
		say(`{"session_id":"s%d","node_id":"n","event_id":1,"type":"node_enter","id":"act"}`, i)
	}
	say(`{"session_id":"s0","node_id":"n","event_id":2,"type":"tool_start","call_id":"c","name":"t"}`)
	say(`{"session_id":"new","node_id":"n","event_id":1,"type":"node_enter","id":"act"}`)
	say(`{"session_id":"s0","node_id":"n","event_id":3,"reply":"still there"}`)
	say(`{"session_id":"s1","node_id":"n","event_id":2,"reply":"evicted"}`)
	for _, cut := range []bool{false, true} {
		o, err := dialecttest.Play(Dialect, frames, frames[len(frames)-1].At, func(int) (bool, bool) { return cut, false })
		if err != nil {
			t.Fatal(err)
		}
		var s0, s1 []schema.Status
		for _, s := range o.Facts.Spans {
			if s.Kind == schema.SpanRun && s.Session == "s0" {
				s0 = append(s0, s.Status)
			}
			if s.Kind == schema.SpanRun && s.Session == "s1" {
				s1 = append(s1, s.Status)
			}
		}
		if fmt.Sprint(s0) != "[ok]" || fmt.Sprint(s1) != "[unclosed ok]" {
			t.Errorf("cut %t: runs of s0 %v, of s1 %v", cut, s0, s1)
		}
		for i, f := range o.Frames {
			if f.Flags != 0 || o.Lost[i] != 0 {
				t.Errorf("frame %d is marked %s, %d lost: a lane that was evicted keeps its count", i, f.Flags, o.Lost[i])
			}
		}
	}
}
