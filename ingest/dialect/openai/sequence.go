package openai

import (
	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// sequence tracks the sequence_number of the events of one response. They count up by one from 0.
// A resumed response continues from a number that the client chose, so that the first number does
// not show missing events.
type sequence struct {
	counting bool
	latest   uint64
	follows  bool           // the present number follows the latest one
	hash     uint64         // of the previous frame
	seen     dialect.Recent // hashes of the response's latest frames
	text     []byte         // the present number, for the envelope
}

// repeatLimit bounds the frames at the end of a response that are recognised when they are
// delivered again.
const repeatLimit = 128

// number sets an event's number in the envelope, and marks missing, repeated and out-of-order
// events. again reports that the frame repeats the previous one, or, once the response has ended,
// one of its last.
func (d *responses) number(in *dialect.Input, e *event) (again bool) {
	s := &d.count
	s.follows = false
	response := in.JSON.Get("response")
	v := in.JSON.Get("sequence_number")
	if v == nil || v.Type() != fastjson.TypeNumber {
		s.counting = s.counting && !d.isNew(e, response)
		d.Frame.EventID = d.eventID.Own([]byte(in.ID))
		return false
	}
	s.text = v.MarshalTo(s.text[:0])
	d.Frame.EventID = dialect.Alias(s.text)
	n, ok := dialect.RawUint(s.text)
	if !ok {
		s.counting = s.counting && !d.isNew(e, response)
		return false
	}
	hash := xxhash.Sum64(in.Data)
	if d.Frame.Type != created && d.Run() == nil && d.waiting == nil && s.seen.HasHash(hash) {
		flags, _ := dialect.Step(n, s.latest, s.latest)
		d.Emitter.Mark(d.Frame, flags, 0)
		return true
	}
	s.follows = s.counting && d.Run() != nil && n == s.latest+1
	if d.isNew(e, response) {
		s.counting = false
		s.seen.Clear()
	}
	if s.counting {
		flags, lost := dialect.Step(n, s.latest, s.latest)
		d.Emitter.Mark(d.Frame, flags, lost)
		again = flags == schema.FlagEventRepeat && hash == s.hash
	}
	s.counting, s.latest, s.hash = true, n, hash
	s.seen.AddHash(hash, repeatLimit)
	return again
}

// fromStart reports whether the present event may be its response's first.
func (s *sequence) fromStart() bool { return !s.counting || s.latest == 0 }

// isNew reports whether an event is the first one of a response in this stream.
func (d *responses) isNew(e *event, response *fastjson.Value) bool {
	return (e.kind == started || e.kind == ended) && (d.Frame.Type == created || d.isOther(response))
}

// isOther reports whether a response is not the response in progress. Some gateways set another
// response id in every event: an event whose number follows that of the response in progress
// belongs to it, unless its id is that of a response that began in the stream.
func (d *responses) isOther(response *fastjson.Value) bool {
	id := response.GetStringBytes("id")
	return len(id) > 0 && string(id) != d.RunID && (!d.count.follows || d.begun.Has(id))
}
