package gemini

import (
	"slices"

	"tapedeck/ingest/dialect/model"
)

// response is one of several concurrent responses in a stream.
type response struct {
	model.Conversation
	answer answer
}

// responseLimit bounds the responses in progress besides the present one.
const responseLimit = 16

// turnTo makes the response with an id the present one, and begins it if it is new. A chunk without
// an id begins a response if the present one has ended.
func (d *decoder) turnTo(id []byte) {
	known := slices.IndexFunc(d.others, func(o response) bool { return len(id) > 0 && o.answer.id == string(id) })
	if d.answer.id == "" || len(id) == 0 || d.answer.ended && len(d.others) == 0 {
		d.leave()
	} else {
		d.others = append(d.others, response{d.Conversation, d.answer})
		d.Conversation, d.answer = model.Conversation{Stream: d.Stream, Provider: provider}, answer{}
	}
	if known >= 0 {
		d.Conversation, d.answer = d.others[known].Conversation, d.others[known].answer
		d.others = slices.Delete(d.others, known, known+1)
	}
	if !slices.ContainsFunc(d.others, response.goesOn) {
		d.others = nil
	} else if len(d.others) > responseLimit {
		d.others[0].Abandon()
		d.others = slices.Delete(d.others, 0, 1)
	}
}

// goesOn reports whether a response has not ended.
func (r response) goesOn() bool { return !r.answer.ended }

// inProgress reports whether a response has begun and not ended.
func (d *decoder) inProgress() bool {
	return d.answer.begun && !d.answer.ended || slices.ContainsFunc(d.others, response.goesOn)
}

// leaveOthers settles the responses besides the present one.
func (d *decoder) leaveOthers() {
	for i := range d.others {
		d.others[i].Abandon()
	}
	d.others = nil
}
