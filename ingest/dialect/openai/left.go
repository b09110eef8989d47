package openai

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
)

// left is a response that was in progress on a WebSocket when the client sent the next request. The
// server may send more of it, before the next response begins and after. It is unclosed if it has
// not ended when that response ends.
type left struct {
	model.Conversation
	responseState
}

// leave makes way for the response of another request on the same connection.
func (d *responses) leave() {
	if d.Run() == nil || d.RunID == "" {
		d.Leave()
		return
	}
	d.settleLeft()
	d.left = &left{d.Conversation, d.responseState}
	d.Conversation, d.responseState = model.Conversation{Stream: d.Stream}, responseState{}
}

// ofLeft reports whether an event belongs to the response that was left: it names that response or
// one of its items, or, while no other response is in progress, has the next number.
func (d *responses) ofLeft(v *fastjson.Value) bool {
	l := d.left
	if l == nil {
		return false
	}
	if id := v.GetStringBytes("response", "id"); len(id) > 0 {
		return string(id) == l.RunID
	}
	id := v.GetStringBytes("item_id")
	if len(id) == 0 {
		id = v.GetStringBytes("item", "id")
	}
	for i := range l.items {
		if len(id) > 0 && string(id) == l.items[i].id {
			return true
		}
	}
	n := v.Get("sequence_number")
	return d.Run() == nil && n != nil && n.GetUint64() == l.count.latest+1 && string(v.GetStringBytes("type")) != typeError
}

// eventOfLeft reads an event of the response that was left.
func (d *responses) eventOfLeft(in *dialect.Input) {
	l, waiting := d.left, d.waiting
	d.swap(l)
	d.left, d.waiting = nil, nil
	if d.Run() != nil {
		d.event(in)
	} else { // it has ended
		d.Frame.Type = dialect.Intern(in.JSON.GetStringBytes("type"))
	}
	d.swap(l)
	d.left, d.waiting, d.late = l, waiting, true
}

func (d *responses) swap(l *left) {
	d.Conversation, l.Conversation = l.Conversation, d.Conversation
	d.responseState, l.responseState = l.responseState, d.responseState
}

// settleLeft settles the response that was left, of which no more is expected.
func (d *responses) settleLeft() {
	l := d.left
	if l == nil {
		return
	}
	d.left = nil
	d.swap(l)
	d.Abandon()
	d.swap(l)
}
