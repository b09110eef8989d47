package compozy

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/internal/jsonstring"
	"tapedeck/replay"
	"tapedeck/replay/emulate"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// script lists, by stream, the entries of the streams of another protocol for which there are
// events. It does not contain streams without facts.
type script map[string][]entry

// entry is an occurrence that is written with a frame.
type entry struct {
	seq uint64 // written with this frame or a later one
	at  int64  // and not before this time, ns
	content
	done bool // the entry was written
}

// content is what an entry adds to the events. Exactly one of the fields is set.
type content struct {
	step string // a step begins
	text string // a piece of the model's answer
	tool *tool  // a call with its arguments
	fail string // an error
	// spans is set if fail is the error of a span, which messages describe better.
	spans bool
}

type tool struct {
	name string
	args []byte // JSON
}

// wanted selects the facts from which a script is made.
var wanted = replay.FactQuery{
	Spans:    []schema.SpanKind{schema.SpanRun, schema.SpanNode, schema.SpanLLM, schema.SpanTool},
	Messages: []schema.MessageKind{schema.MessageAssistant, schema.MessageArguments, schema.MessageError},
}

// scriptOf returns the script of a session; it is empty for a session that was recorded from
// Compozy.
func scriptOf(ctx context.Context, t replay.Tape) (script, error) {
	if native(t) {
		return nil, nil
	}
	facts, err := t.Facts(ctx, wanted)
	if err != nil {
		return nil, err
	}
	s := script{}
	seen := map[string]bool{} // ids of facts: several streams, or one stream, may repeat a fact
	streams := t.Streams()
	for i := range streams {
		state := &streams[i]
		f := facts[state.StreamID]
		if f == nil || state.Dialect == "generic" {
			continue
		}
		list := entriesOf(f, seen)
		if state.Ended == 0 {
			list = settled(list, f)
		}
		s[state.StreamID] = list
	}
	return s, nil
}

// entriesOf returns the entries of one stream, from facts that were not seen before.
func entriesOf(f *block.Facts, seen map[string]bool) (list []entry) {
	add := func(id string, seq uint64, at int64, c content) {
		seen[id] = true
		list = append(list, entry{seq: seq, at: at, content: c})
	}
	arguments := map[string]*schema.Message{} // by the call's span
	for i := range f.Messages {
		if m := &f.Messages[i]; m.Kind == schema.MessageArguments {
			arguments[m.Span] = m
		}
	}
	for i := range f.Spans {
		x := &f.Spans[i]
		args := arguments[x.ID]
		switch {
		case seen[x.ID]:
		case x.Kind == schema.SpanNode && x.Name != "" && x.Started != 0:
			add(x.ID, x.SeenSeq, x.SeenAt, content{step: x.Name})
		case x.Kind == schema.SpanTool && args != nil && args.Complete:
			add(x.ID, args.Version-1, args.Ended, content{tool: &tool{x.Name, argumentsOf(args)}})
		case x.Kind == schema.SpanTool && args == nil && x.Started != 0:
			add(x.ID, x.SeenSeq, x.SeenAt, content{tool: &tool{x.Name, []byte("{}")}})
		case (x.Kind == schema.SpanRun || x.Kind == schema.SpanLLM) && x.Status == schema.StatusError:
			add(x.ID, x.Version-1, x.Ended, content{fail: cmp.Or(x.Error, string(x.Status)), spans: true})
		}
	}
	for i := range f.Messages {
		m := &f.Messages[i]
		switch {
		case seen[m.ID]:
		case m.Kind == schema.MessageError:
			add(m.ID, m.SeenSeq, m.SeenAt, content{fail: m.Text})
		case m.Kind == schema.MessageAssistant && len(m.ChunkAt) == 0:
			add(m.ID, m.SeenSeq, m.Started, content{text: m.Text})
		case m.Kind == schema.MessageAssistant:
			start := uint32(0)
			for j, end := range m.ChunkEnd {
				if end > start {
					add(m.ID, m.SeenSeq, m.ChunkAt[j], content{text: m.Text[start:end]})
				}
				start = max(start, end)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq))
	})
	return list
}

// settled returns the entries before the latest piece of a message that still grows. Pieces after
// it may not be stored yet, and ids depend on all earlier entries.
func settled(list []entry, f *block.Facts) []entry {
	until := int64(math.MaxInt64)
	for i := range f.Messages {
		if m := &f.Messages[i]; !m.Complete {
			until = min(until, m.Ended)
		}
	}
	return slices.DeleteFunc(list, func(e entry) bool { return e.at > until })
}

// argumentsOf returns the arguments of a call as JSON.
func argumentsOf(m *schema.Message) []byte {
	switch v, err := fastjson.Parse(m.Text); {
	case m.Text == "":
		return []byte("{}")
	case err != nil || m.Media == "text":
		return jsonstring.Append(nil, m.Text)
	default:
		return emulate.AppendJSON(nil, v)
	}
}

// copy returns a copy of the script in which no entry is marked as written.
func (s script) copy() script {
	c := maps.Clone(s)
	for id, list := range c {
		c[id] = slices.Clone(list)
	}
	return c
}

// due returns the content that belongs to a frame or to earlier frames and was not written yet.
func (s script) due(f *replay.Frame) (list []content) {
	pending := s[f.Stream.StreamID]
	for len(pending) > 0 && pending[0].done {
		pending = pending[1:]
	}
	s[f.Stream.StreamID] = pending
	for i := range pending {
		e := &pending[i]
		if e.at > f.At {
			break
		}
		if !e.done && e.seq <= f.Seq {
			e.done = true
			list = append(list, e.content)
		}
	}
	return list
}

// rest returns the content that was not written with the last frame: entries that the end of a
// stream completed.
func (s script) rest() (list []content) {
	for _, id := range slices.Sorted(maps.Keys(s)) {
		for i := range s[id] {
			if e := &s[id][i]; !e.done {
				e.done = true
				list = append(list, e.content)
			}
		}
	}
	return list
}
