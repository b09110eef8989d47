package dataset

import (
	"math/rand/v2"
	"strconv"
	"time"

	"tapedeck/schema"
)

// Call is one call of a model, as the frames state it.
type Call struct {
	At     int64 // time of the frame that states its usage, ns
	Model  Model
	Tags   Tags
	Tokens schema.Tokens
}

// writer writes the frames of one session after another, as a tap of a WebSocket sees them.
type writer struct {
	r       *rand.Rand
	raw     []byte // bytes of all frames
	ends    []int  // ends of the frames in raw
	frames  []schema.Frame
	calls   []Call
	at      int64
	run     []byte
	node    []byte
	eventID int
}

// write writes the frames of a session. The frames and the calls are valid until the next call.
func (w *writer) write(s *session) {
	w.r, w.at = s.random, s.at
	w.raw, w.ends, w.frames, w.calls = w.raw[:0], w.ends[:0], w.frames[:0], w.calls[:0]
	for i := range s.turns {
		w.turn(s, i)
	}
	from := 0
	for i := range w.frames { // raw is not reallocated any more
		w.frames[i].Raw, from = w.raw[from:w.ends[i]:w.ends[i]], w.ends[i]
	}
}

// done ends a frame that arrived some time after the previous one.
func (w *writer) done(direction schema.Direction, after time.Duration) {
	w.at += int64(after)
	w.ends = append(w.ends, len(w.raw))
	w.frames = append(w.frames, schema.Frame{Seq: uint64(len(w.frames)), At: w.at, Direction: direction, Transport: schema.WebSocket})
}

func (w *writer) between(low, high int) int { return low + w.r.IntN(high-low+1) }

// micros returns a random duration between two bounds in µs.
func (w *writer) micros(low, high int) time.Duration {
	return time.Duration(w.between(low, high)) * time.Microsecond
}

func (w *writer) text(parts ...string) {
	for _, p := range parts {
		w.raw = append(w.raw, p...)
	}
}

func (w *writer) words(n int) { w.raw = appendWords(w.raw, w.r, n) }

func (w *writer) number(n int) { w.raw = strconv.AppendInt(w.raw, int64(n), 10) }

// event begins an event of the run; end ends it.
func (w *writer) event(typ string) {
	w.eventID++
	w.text(`{"type":"run_stream_event","id":"`)
	w.raw = append(w.raw, w.run...)
	w.text(`","event":{"session_id":"`)
	w.raw = append(w.raw, w.run...)
	w.text(`","node_id":"`)
	w.raw = append(w.raw, w.node...)
	w.text(`","event_id":`)
	w.number(w.eventID)
	w.text(`,"type":"`, typ, `"`)
}

func (w *writer) end(after time.Duration) {
	w.text("}}")
	w.done(schema.Receive, after)
}

// enter begins a node of the run.
func (w *writer) enter(kind string, step int) {
	w.node = append(append(w.node[:0], w.run...), '-')
	w.node = strconv.AppendInt(append(append(w.node, kind...), '-'), int64(step), 10)
	w.event("node_enter")
	w.text(`,"id":"`, kind, `"`)
	w.end(w.micros(500, 5000))
}

func (w *writer) exit(kind string) {
	w.event("node_exit")
	w.text(`,"id":"`, kind, `","result":"Ok"`)
	w.end(w.micros(100, 1000))
}

// turn writes a request and the run that answers it.
func (w *writer) turn(s *session, n int) {
	t := &s.turns[n]
	w.run = append(append(w.run[:0], "run-"...), s.id[2:]...)
	w.run = strconv.AppendInt(append(w.run, '-'), int64(n), 10)
	w.eventID = 0
	w.text(`{"type":"run","message":"`)
	if n == 0 {
		w.text(RareWord(s.n), " ")
	}
	w.words(w.between(4, 20))
	w.text(`","agent":"`, t.agent, `","thread_id":"`, s.id, `","model":"`, t.model.Provider, "/", t.model.Name, `"}`)
	w.done(schema.Send, t.pause)
	for step := range t.calls {
		w.call(s, t, step, step+1 == t.calls)
	}
	w.eventID++
	w.text(`{"type":"`)
	if w.r.IntN(33) == 0 {
		w.text(`error","id":"`, string(w.run), `","error":"upstream `)
		w.words(3)
		w.text(`"}`)
	} else {
		w.text(`run_end","id":"`, string(w.run), `","reply":"`)
		w.words(w.between(5, 30))
		w.text(`","session_id":"`, string(w.run), `","node_id":"`, string(w.node), `","event_id":`, strconv.Itoa(w.eventID), `}`)
	}
	w.done(schema.Receive, w.micros(200, 2000))
}

// call writes a call of a model and, unless it is the run's last, the tool that it asks for.
func (w *writer) call(s *session, t *turn, step int, last bool) {
	w.enter("think", step)
	after := w.micros(200_000, 1_500_000) // the first token takes longer
	chunks := w.between(max(t.chunks/3, 1), t.chunks+t.chunks*2/3)
	for range chunks {
		w.event("message_chunk")
		w.text(`,"content":" `, word(w.r), `","id":"think"`)
		w.end(after)
		after = w.micros(2000, 30_000)
	}
	w.usage(s, t, chunks)
	if last {
		w.exit("think")
		return
	}
	tool := tools[int(float64(len(tools))*skewed(w.r))]
	call := "call-" + string(w.run[4:]) + "-" + strconv.Itoa(step)
	w.event("tool_call")
	w.text(`,"call_id":"`, call, `","name":"`, tool, `","arguments":{"path":"src/`, word(w.r), `.go","n":`)
	w.number(step)
	w.text(`}`)
	w.end(w.micros(100, 2000))
	w.exit("think")
	w.enter("act", step)
	w.event("tool_start")
	w.text(`,"call_id":"`, call, `","name":"`, tool, `"`)
	w.end(w.micros(100, 2000))
	took := w.micros(5000, 3_000_000)
	if w.r.IntN(2) == 0 {
		w.event("tool_output")
		w.text(`,"call_id":"`, call, `","name":"`, tool, `","content":"`)
		w.words(w.between(10, 40))
		w.text(`"`)
		w.end(took / 2)
	}
	w.event("tool_end")
	w.text(`,"call_id":"`, call, `","name":"`, tool, `","result":"`)
	w.words(w.between(5, 60))
	w.text(`","is_error":`, strconv.FormatBool(w.r.IntN(25) == 0))
	w.end(took / 2)
	w.exit("act")
}

// usage writes the usage of a call.
func (w *writer) usage(s *session, t *turn, chunks int) {
	prompt := 400 + int(30_000*skewed(w.r))
	if w.r.IntN(50) == 0 {
		prompt = w.between(150_000, 400_000) // above the lower bounds of price tiers
	}
	cached, reasoning := 0, 0
	if w.r.IntN(3) > 0 {
		cached = int(float64(prompt) * 0.9 * w.r.Float64())
	}
	if w.r.IntN(3) == 0 {
		reasoning = w.between(50, 3000)
	}
	output := chunks*4/3 + 5
	w.event("usage")
	w.text(`,"prompt_tokens":`)
	w.number(prompt)
	w.text(`,"completion_tokens":`)
	w.number(output + reasoning)
	w.text(`,"total_tokens":`)
	w.number(prompt + output + reasoning)
	w.text(`,"prompt_tokens_details":{"cached_tokens":`)
	w.number(cached)
	w.text(`},"completion_tokens_details":{"reasoning_tokens":`)
	w.number(reasoning)
	w.text(`}`)
	w.end(w.micros(200, 3000))
	w.calls = append(w.calls, Call{At: w.at, Model: t.model, Tags: s.tags, Tokens: schema.Tokens{
		Input: uint64(prompt - cached), CacheRead: uint64(cached), Output: uint64(output), Reasoning: uint64(reasoning),
	}})
}
