package loom

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/replay"
	"tapedeck/replay/emulate"
	"tapedeck/schema"
)

// dialect is what streams of Loom are recognised as.
const dialect = "loom"

// book is what a session recorded of Loom.
type book struct {
	runs    []*run
	tools   toolbox
	answers map[string][]byte // the latest, by type: those without arguments that matter
}

// lane is a stream while the book is made.
type lane struct {
	asked   []*run          // requests that no answer came for yet
	open    map[string]*run // runs in progress, by key
	current *run            // that of the event before
	over    bool            // a run of lines has ended, and no other begun
	ended   *run            // the last that ended
	highest int64           // event_id in lines
}

// read makes the book of a session.
func read(ctx context.Context, t replay.Tape) (*book, error) {
	b := &book{answers: map[string][]byte{}, tools: newToolbox()}
	lanes := map[string]*lane{}
	var parser fastjson.Parser
	var buf []byte
	err := emulate.Scan(ctx, t, replay.Query{Bare: true}, func(f *replay.Frame) error {
		if f.Stream.Dialect != dialect || f.Flags.Has(schema.FlagNote) {
			return nil
		}
		var c schema.Content
		c, buf = schema.Unframe(&f.Frame, buf)
		v, err := parser.ParseBytes(c.Data)
		if c.Empty || err != nil {
			return nil
		}
		l := lanes[f.Stream.StreamID]
		if l == nil {
			l = &lane{open: map[string]*run{}}
			lanes[f.Stream.StreamID] = l
		}
		if f.Direction == schema.Send {
			b.request(l, f, v)
		} else {
			b.message(l, f, v)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	b.runs = slices.DeleteFunc(b.runs, func(r *run) bool { return r.last.IsZero() })
	slices.SortStableFunc(b.runs, func(x, y *run) int { return x.first.Compare(y.first) })
	for _, r := range b.runs {
		if !r.ended {
			r.reply = r.text.String()
		}
		r.text.Reset()
		s := replay.StreamOf(t, r.stream)
		r.whole = s.Complete()
	}
	return b, nil
}

// request reads what the client sent.
func (b *book) request(l *lane, f *replay.Frame, v *fastjson.Value) {
	if l.ended != nil {
		l.ended.stayed = true
	}
	if text(v, "type") != "run" {
		return
	}
	r := &run{stream: f.Stream.StreamID, first: f.Position(), asked: f.At, thread: text(v, "thread_id"), wrapped: true}
	if m := v.Get("message"); m != nil {
		r.message, r.said = emulate.AppendJSON(nil, m), textOf(m)
	}
	l.asked = append(l.asked, r)
	b.runs = append(b.runs, r) // it goes again if it is never answered
}

// message reads what the server sent.
func (b *book) message(l *lane, f *replay.Frame, v *fastjson.Value) {
	kind := formOf(v)
	switch kind {
	case wrapped:
		r := b.wrappedRun(l, f, text(v, "id"))
		r.last = f.Position()
		if e := v.Get("event"); e != nil {
			r.take(e)
			b.tools.see(e)
		}
	case runEnd, failure:
		b.end(l, f, v, kind)
	case answer:
		b.answer(v)
	case typed, exported:
		b.line(l, f, v, kind)
	case reply, bundle:
		r := l.current
		if r == nil || kind == bundle {
			r = b.begin(l, f, text(v, "session_id"))
		}
		for _, e := range v.GetArray("events") {
			if formOf(e) == exported {
				e = typedOf(e)
			}
			r.take(e)
			b.tools.see(e)
		}
		if kind == bundle {
			v = v.Get("reply")
		}
		r.reply, r.ended, r.last = cmp.Or(text(v, "reply"), r.text.String()), true, f.Position()
		l.close(r)
	}
}

// wrappedRun finds a run on a WebSocket. With its first frame it takes up the
// request that asked for it.
func (b *book) wrappedRun(l *lane, f *replay.Frame, id string) *run {
	if r := l.open[id]; r != nil {
		return r
	}
	var r *run
	if len(l.asked) > 0 {
		r, l.asked = l.asked[0], l.asked[1:]
	} else {
		r = &run{stream: f.Stream.StreamID, first: f.Position(), asked: f.At, wrapped: true}
		b.runs = append(b.runs, r)
	}
	r.id, r.key, l.open[id] = id, id, r
	return r
}

// end reads the end of a run on a WebSocket.
func (b *book) end(l *lane, f *replay.Frame, v *fastjson.Value, kind form) {
	id := text(v, "id")
	r := l.open[id]
	switch {
	case r != nil:
	case kind == runEnd && l.ended != nil && l.ended.id == id:
		return // said twice
	case kind == runEnd || len(id) > 4 && id[:4] == "run-":
		r = b.wrappedRun(l, f, id)
	case l.current != nil: // an error among lines
		r = l.current
	case id == "" && len(l.asked) > 0 && !isParseError(v):
		r = b.wrappedRun(l, f, "")
	default:
		return // of another request
	}
	if kind == runEnd {
		r.reply = text(v, "reply")
	}
	r.ended, r.last = true, f.Position()
	l.close(r)
}

func isParseError(v *fastjson.Value) bool {
	const begins = "parse error"
	s := text(v, "error")
	return len(s) >= len(begins) && s[:len(begins)] == begins
}

// passive are events that may come after a run's end.
var passive = map[string]bool{"values": true, "updates": true, "custom": true, "checkpoint": true}

// line reads an event that stands by itself.
func (b *book) line(l *lane, f *replay.Frame, v *fastjson.Value, kind form) {
	if kind == exported {
		v = typedOf(v)
	}
	session, name, id := text(v, "session_id"), text(v, "type"), v.GetInt64("event_id")
	r := l.current
	if session != "" && r != nil && r.key != "" && r.key != session {
		r = l.open[session]
	}
	again := r != nil && r.last != (schema.Position{}) &&
		(name == "run_start" || name == "node_enter" && v.Get("event_id") != nil && id <= 1 && l.highest > 1)
	if r == nil && l.over && passive[name] {
		return
	}
	if r == nil || again {
		r = b.begin(l, f, session)
		l.highest = 0
	}
	if r.key == "" && session != "" {
		r.key = session
	}
	if run := text(v, "run_id"); name == "run_start" && run != "" {
		r.id = run
	} else if session != "" && r.id == "run-"+r.stream {
		r.id = session
	}
	l.current, l.open[r.key], l.highest = r, r, max(l.highest, id)
	r.last = f.Position()
	r.take(v)
	b.tools.see(v)
}

// begin begins a run of lines.
func (b *book) begin(l *lane, f *replay.Frame, session string) *run {
	r := &run{
		stream: f.Stream.StreamID, key: session, id: cmp.Or(session, "run-"+f.Stream.StreamID),
		first: f.Position(), asked: f.At,
	}
	b.runs = append(b.runs, r)
	l.over = false
	return r
}

// close notes that a run has ended.
func (l *lane) close(r *run) {
	delete(l.open, r.key)
	if l.current == r {
		l.current = nil
	}
	l.over, l.ended = true, r
}

// answer keeps an answer to another request.
func (b *book) answer(v *fastjson.Value) {
	switch kind := text(v, "type"); kind {
	case "tools_list":
		for _, spec := range v.GetArray("tools") {
			b.tools.recorded(spec)
		}
		b.tools.listed = true
	case "tool_show":
		if spec := v.Get("tool"); spec != nil {
			b.tools.recorded(spec)
		}
	case "pong", "user_messages", "cancel_run", "cancel_run_ack":
	default:
		b.answers[kind] = emulate.AppendJSON(nil, v)
	}
}

// typedOf gives an event of the single-key form in the specification's.
func typedOf(v *fastjson.Value) *fastjson.Value {
	raw, err := fromExport(v)
	if err != nil {
		return v
	}
	out, err := fastjson.ParseBytes(raw)
	if err != nil {
		return v
	}
	return out
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
