package openai

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
)

// item is a part of a response's output. Its place in the output is what it is
// known by: behind some gateways its id changes from event to event.
type item struct {
	index int
	kind  *itemKind
	tool  *model.Tool
	// Bits of the parts that were told, by number.
	texts, summaries uint64
	ready            bool // the client was given the call
	done             bool
}

// itemLimit bounds the items of a response that are followed.
const itemLimit = 256

// indexOf reads the place of an item off an event; without one it is that of
// the latest item.
func (d *responses) indexOf(v *fastjson.Value) int {
	if i := v.Get("output_index"); i != nil && i.Type() == fastjson.TypeNumber {
		return i.GetInt()
	}
	if len(d.items) > 0 {
		return d.items[len(d.items)-1].index
	}
	return 0
}

// find gives the item at a place, nil for none. It is valid until the next one
// begins.
func (d *responses) find(index int) *item {
	for i := len(d.items) - 1; i >= 0; i-- {
		if d.items[i].index == index {
			return &d.items[i]
		}
	}
	return nil
}

func (d *responses) add(index int) *item {
	if len(d.items) >= itemLimit {
		copy(d.items, d.items[1:])
		d.items = d.items[:itemLimit-1]
	}
	d.items = append(d.items, item{index: index})
	return &d.items[len(d.items)-1]
}

// itemAt is find, and begins an item of which no beginning was seen.
func (d *responses) itemAt(index int) *item {
	if it := d.find(index); it != nil {
		return it
	}
	return d.add(index)
}

// ensure begins a run for what comes without the beginning of its response.
func (d *responses) ensure() {
	if d.Run() == nil {
		d.begin(d.viewed, nil, false)
	}
}

// added begins an item.
func (d *responses) added(v *fastjson.Value) {
	d.ensure()
	index := len(d.items)
	if v.Get("output_index") != nil {
		index = d.indexOf(v)
	}
	it := d.find(index)
	if it == nil {
		it = d.add(index)
	}
	value := v.Get("item")
	if it.kind = kindOf(value.GetStringBytes("type")); it.kind == nil {
		d.Unknown()
		return
	}
	if (it.kind.runs == byClient || it.kind.runs == byServer) && it.tool == nil {
		it.tool = d.openTool(it.kind, value)
	}
	if it.kind.runs == byServer {
		d.FirstToken() // the model has said what it wants, although we learn of it later
	}
}

// done reads an item as a whole; raw is its text.
func (d *responses) done(index int, value *fastjson.Value, raw []byte) {
	d.ensure()
	it := d.itemAt(index)
	if it.done {
		return
	}
	it.done = true
	if it.kind == nil {
		it.kind = kindOf(value.GetStringBytes("type"))
	}
	switch k := it.kind; {
	case k == nil:
		d.Unknown()
	case k.runs == notATool:
		d.said(it, value, raw)
	case k.runs == isResult:
		d.resultItem(value, raw)
	default:
		d.toolDone(it, value, raw)
	}
}

// output reads the items of a response as a whole that were not seen before.
func (d *responses) output(in *dialect.Input, response *fastjson.Value, place string) {
	values := response.GetArray("output")
	if len(values) == 0 || d.allDone(len(values)) {
		return
	}
	raw := in.Data
	if place != "" {
		raw = dialect.RawMember(raw, place)
	}
	dialect.Elements(values, dialect.RawMember(raw, "output"), 0, d.done)
}

func (d *responses) allDone(n int) bool {
	for i := range n {
		if it := d.find(i); it == nil || !it.done {
			return false
		}
	}
	return true
}
