package openai

import (
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// parked is a response other than the present one: it is in progress, or it has ended and its
// usage may still come.
type parked struct {
	model.Conversation
	progress
}

// parkedLimit bounds the parked responses. Beyond it the one that was present longest ago is
// settled.
const parkedLimit = 8

// turnTo makes the response of a chunk the present one, by its id. An id that no response in
// progress has begins another response if the present one has finished, or if the chunk names a
// role. Otherwise it belongs to the present one, as some gateways set another id in every chunk.
func (d *chat) turnTo(id []byte, v *fastjson.Value, choices []*fastjson.Value) {
	if len(id) == 0 {
		d.unnamed(v, choices)
		return
	}
	if d.single || d.RunID == "" || string(id) == d.RunID {
		return
	}
	for i := range d.others {
		if d.others[i].RunID == string(id) {
			d.swap(i)
			return
		}
	}
	if d.Run() == nil || len(choices) == 0 {
		return
	}
	if d.finished() || names(choices[0]) {
		d.park()
	}
}

// park parks the present response, as another begins. A finished response ends.
func (d *chat) park() {
	if d.finished() {
		d.leave()
	}
	if len(d.others) >= parkedLimit {
		d.settle(0)
	}
	d.others = append(d.others, parked{d.Conversation, d.progress})
	d.Conversation, d.progress = model.Conversation{Stream: d.Stream}, progress{}
}

// swap makes a parked response the present one, and parks the present one.
func (d *chat) swap(i int) {
	next := d.others[i]
	d.others = slices.Delete(d.others, i, i+1)
	if d.Run() != nil || d.usage == nil {
		d.others = append(d.others, parked{d.Conversation, d.progress})
	}
	d.Conversation, d.progress = next.Conversation, next.progress
}

// settle settles a parked response and removes it.
func (d *chat) settle(i int) {
	present := parked{d.Conversation, d.progress}
	d.Conversation, d.progress = d.others[i].Conversation, d.others[i].progress
	d.leave()
	d.Conversation, d.progress = present.Conversation, present.progress
	d.others = slices.Delete(d.others, i, i+1)
}

// leaveAll settles all responses in progress.
func (d *chat) leaveAll() {
	for len(d.others) > 0 {
		d.settle(0)
	}
	d.leave()
}

// othersOpen reports whether a response beside the present one is in progress.
func (d *chat) othersOpen() bool {
	return slices.ContainsFunc(d.others, func(o parked) bool { return o.Run() != nil })
}

// noteRun sets the run's attributes from what the response states.
func (d *chat) noteRun() {
	run := d.Run()
	if run == nil {
		return
	}
	var attrs dialect.Attributes
	if d.stop != "" {
		attrs.AddText("stop_reason", d.stop)
	}
	attrs.AddRaw("cost", d.cost)
	if d.mixed {
		attrs.AddRaw(schema.Inseparable, []byte("true"))
	}
	run.Attributes = attrs.Text()
	d.Emitter.ChangedSpan(run, d.Frame)
}
