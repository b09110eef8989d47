package loom

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/replay"
	"tapedeck/replay/emulate"
	"tapedeck/schema"
)

// readFrames reads the values that facts lack from the frames: the threads of requests, the answers
// to other requests, whether a connection was used after a run, and the sessions of runs without an
// id.
func (b *index) readFrames(ctx context.Context, t replay.Tape) error {
	if err := b.findRuns(ctx, t); err != nil {
		return err
	}
	var parser fastjson.Parser
	parse := func(f *replay.Frame) *fastjson.Value {
		c, _ := schema.Unframe(&f.Frame, nil)
		v, err := parser.ParseBytes(c.Data)
		if c.Empty || err != nil {
			return nil
		}
		return v
	}
	sent := replay.Query{Filter: replay.Filter{Directions: []schema.Direction{schema.Send}}}
	err := emulate.Scan(ctx, t, sent, func(f *replay.Frame) error {
		if f.Stream.Dialect == dialect && !f.Flags.Has(schema.FlagNote) {
			b.request(f, parse)
		}
		return nil
	})
	if err != nil {
		return err
	}
	received := replay.Query{Bare: true, Filter: replay.Filter{
		Types: slices.Collect(maps.Keys(answers)), Directions: []schema.Direction{schema.Receive},
	}}
	return emulate.Scan(ctx, t, received, func(f *replay.Frame) error {
		if v := parse(f); v != nil && f.Stream.Dialect == dialect {
			b.answer(v)
		}
		return nil
	})
}

// request reads a frame that the client sent.
func (b *index) request(f *replay.Frame, parse func(*replay.Frame) *fastjson.Value) {
	at := f.Position()
	var asked *run
	for _, r := range b.runs {
		if r.stream != at.StreamID {
			continue
		}
		if f.Type == "run" && asked == nil && r.asked == at.At && !r.requested {
			asked = r
		}
		r.stayed = r.stayed || r.last.Compare(at) < 0
	}
	if asked == nil {
		return
	}
	asked.requested = true
	if v := parse(f); v != nil {
		asked.thread = text(v, "thread_id")
		b.note(v)
	}
}

// answer stores an answer to another request.
func (b *index) answer(v *fastjson.Value) {
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
	case "models_list", "model_set": // names that some versions have for these answers
		b.answers[map[string]string{"models_list": "list_models", "model_set": "set_model"}[kind]] = emulate.AppendJSON(nil, v)
	default:
		b.answers[kind] = emulate.AppendJSON(nil, v)
	}
}

// findRuns reads the envelopes of frames. It finds the sessions of runs that have no other id or
// that overlap in their stream, and the runs of streams without facts.
func (b *index) findRuns(ctx context.Context, t replay.Tape) error {
	known := map[string]bool{}
	begin := map[schema.Position]*run{} // runs whose session is unknown, by their first frame
	for _, r := range b.runs {
		known[r.stream] = true
		if !r.wrapped && (r.id == "" || slices.ContainsFunc(b.runs, r.overlaps)) {
			begin[r.first] = r
		}
	}
	missing := slices.ContainsFunc(t.Streams(), func(s schema.StreamState) bool {
		return s.Dialect == dialect && !known[s.StreamID]
	})
	if !missing && len(begin) == 0 {
		return nil
	}
	unnamed := map[string]*run{} // runs without an id, by stream
	made := map[[3]string]*run{}
	q := replay.Query{Filter: replay.Filter{Directions: []schema.Direction{schema.Receive}}}
	err := emulate.Scan(ctx, t, q, func(f *replay.Frame) error {
		if f.Stream.Dialect != dialect || f.Flags.Has(schema.FlagNote) {
			return nil
		}
		at := f.Position()
		if r := begin[at]; r != nil {
			unnamed[at.StreamID] = r
		}
		if r := unnamed[at.StreamID]; r != nil && f.Session != "" {
			r.name(f)
			delete(unnamed, at.StreamID)
		}
		if known[at.StreamID] || answers[f.Type] {
			return nil
		}
		k := [3]string{at.StreamID, f.Run, f.Session}
		r := made[k]
		if r == nil {
			r = &run{id: strings.Clone(f.Run), stream: at.StreamID, wrapped: f.Transport == schema.WebSocket, first: at,
				asked: at.At}
			r.name(f)
			made[k], b.runs = r, append(b.runs, r)
		}
		r.last = at
		return nil
	})
	for _, r := range b.runs {
		if r.id == "" && !r.wrapped {
			r.id = "run-" + r.stream
		}
	}
	return err
}

// name sets the session of a run from a frame. A run without another id uses its session as id.
func (r *run) name(f *replay.Frame) {
	r.key = strings.Clone(f.Session) // the frame is valid only during the call
	r.id = cmp.Or(r.id, r.key)
}

// overlaps reports whether another run of the stream began before this one ended.
func (r *run) overlaps(o *run) bool {
	return o != r && o.stream == r.stream && o.first.Compare(r.last) <= 0 && r.first.Compare(o.last) <= 0
}
