package openai

import (
	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// sequence follows the sequence_number of the events of one response. They
// count up by one from 0; a response that is resumed goes on where the client
// says, so that the first number that is seen says nothing of what is missing.
type sequence struct {
	counting bool
	latest   uint64
	hash     uint64 // of the frame before
	text     []byte // the present number, for the envelope
}

// number reads an event's number into the envelope, and marks what is missing,
// repeated or out of order. It reports whether the frame is the one before once
// more. With anew the event is a response's first.
func (d *responses) number(in *dialect.Input, anew bool) (again bool) {
	s := &d.count
	if anew {
		s.counting = false
	}
	v := in.JSON.Get("sequence_number")
	if v == nil || v.Type() != fastjson.TypeNumber {
		d.Frame.EventID = d.eventID.Own([]byte(in.ID))
		return false
	}
	s.text = v.MarshalTo(s.text[:0])
	d.Frame.EventID = dialect.Alias(s.text)
	n, ok := dialect.RawUint(s.text)
	if !ok {
		return false
	}
	hash := xxhash.Sum64(in.Data)
	if s.counting {
		flags, lost := dialect.Step(n, s.latest, s.latest)
		d.Emitter.Mark(d.Frame, flags, lost)
		again = flags == schema.FlagEventRepeat && hash == s.hash
	}
	s.counting, s.latest, s.hash = true, n, hash
	return again
}

// fromStart reports whether the present event may be its response's first.
func (s *sequence) fromStart() bool { return !s.counting || s.latest == 0 }
