package loom

import (
	"cmp"
	"context"
	"slices"

	"tapedeck/replay"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// dialect is the dialect of Loom's streams.
const dialect = "loom"

// index holds the data that a session recorded from Loom.
type index struct {
	runs    []*run
	tools   toolbox
	agents  []string // names that requests of runs have, in their order
	models  []string
	answers map[string][]byte // latest answers by type, of types whose arguments do not matter
}

// wanted selects the facts of an index.
var wanted = replay.FactQuery{
	Spans: []schema.SpanKind{schema.SpanRun, schema.SpanNode, schema.SpanLLM, schema.SpanTool},
	Messages: []schema.MessageKind{
		schema.MessageUser, schema.MessageAssistant, schema.MessageReply, schema.MessageArguments,
	},
	Usages: true,
}

// read builds the index of a session from the facts, and from the frames for values that facts
// lack.
func read(ctx context.Context, t replay.Tape) (*index, error) {
	facts, err := t.Facts(ctx, wanted)
	if err != nil {
		return nil, err
	}
	b := &index{answers: map[string][]byte{}, tools: newToolbox()}
	streams := t.Streams()
	for i := range streams {
		if f := facts[streams[i].StreamID]; f != nil && streams[i].Dialect == dialect {
			b.addStream(&streams[i], f)
		}
	}
	if err := b.readFrames(ctx, t); err != nil {
		return nil, err
	}
	slices.SortStableFunc(b.runs, func(x, y *run) int { return x.first.Compare(y.first) })
	return b, nil
}

// addStream adds the runs and the tools of a stream.
func (b *index) addStream(s *schema.StreamState, f *block.Facts) {
	runs := map[string]*run{} // by the ids of their spans
	parents := map[string]string{}
	var list []*run
	for i := range f.Spans {
		span := &f.Spans[i]
		parents[span.ID] = span.Parent
		if span.Kind == schema.SpanRun {
			if r := newRun(s, span); r != nil {
				runs[span.ID], list = r, append(list, r)
			}
		}
	}
	for _, r := range list {
		r.bound(s, list)
	}
	b.runs = append(b.runs, list...)
	of := func(id string) *run {
		for range parents {
			if r := runs[id]; r != nil || id == "" {
				return r
			}
			id = parents[id]
		}
		return runs[id]
	}
	names := map[string]string{} // of tools, by the ids of their spans
	for i := range f.Spans {
		span := &f.Spans[i]
		switch r := of(span.ID); {
		case span.Kind == schema.SpanTool:
			names[span.ID] = span.Name
			b.tools.call(span.Name, "")
		case span.Kind == schema.SpanNode && r != nil && span.Started != 0 && span.Attributes != graphNode:
			r.node = max(r.node, span.SeenSeq)
		}
	}
	for i := range f.Messages {
		m := &f.Messages[i]
		if m.Kind == schema.MessageArguments {
			b.tools.call(cmp.Or(m.Name, names[m.Span]), m.Text)
		} else if r := of(m.Span); r != nil {
			r.message(m)
		}
	}
	for i := range f.Usages {
		if r := of(f.Usages[i].Span); r != nil {
			r.use(f.Usages[i].Raw)
		}
	}
}

// graphNode has the attributes of a node in a graph of thoughts. A run does not enter and leave
// such a node.
const graphNode = `{"graph":"got"}`
