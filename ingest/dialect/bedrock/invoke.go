package bedrock

import (
	"encoding/base64"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// invokes reports whether a frame is of InvokeModel, so that the model's own decoder reads it. If
// the first chunk wraps an event of Converse, the answer is read as Converse.
func (d *decoder) invokes(in *dialect.Input) bool {
	if d.way != unknownOperation && d.way != invokeModel {
		return false
	}
	name, p := partOf(in)
	chunk := in.Direction == schema.Receive && string(name) == "chunk" && p.v.GetStringBytes("bytes") != nil
	if chunk && !d.chunks {
		d.chunks = true
		wrapped := false
		parsed(unwrap(p.v), func(inside *dialect.Input) {
			event, q := wrappedEvent(inside)
			wrapped = matchEvent(event, q) != dialect.No
		})
		if wrapped {
			d.way = converse
			return false
		}
	}
	return d.way == invokeModel || chunk
}

// wrappedEvent returns the name and the content of a Converse event that a chunk wraps: the first
// member that is a known event. The service's measurements and the outcome of a guardrail may be
// beside the event.
func wrappedEvent(inside *dialect.Input) (name []byte, p part) {
	whole := part{inside.JSON, inside.Data}
	members, ok := dialect.MembersOf(inside.Data)
	for ok {
		if name, _, ok = members.Next(); !ok {
			break
		}
		if _, known := events[string(name)]; known || isException(name) {
			return name, whole.member(string(name))
		}
	}
	return nil, part{}
}

// invoke passes the model's own event to its decoder: the data of a chunk, or a whole body. An
// exception becomes an error event of the model's protocol.
func (d *decoder) invoke(in *dialect.Input, b *dialect.Emitter) {
	d.way = invokeModel
	name, p := partOf(in)
	switch {
	case in.JSON != nil && in.Direction == schema.Send && d.otherModel(in):
		d.prompt(in)
		d.Address()
	case in.JSON != nil && in.Transport == schema.HTTP && !d.Refusal.Refused() && d.other:
		d.otherEvent(in, true)
		d.Address()
	case in.Direction == schema.Send, in.Transport == schema.HTTP && !d.Refusal.Refused():
		d.invoked.Decode(in, b)
	case d.other && (isFailure(in, name) || in.Transport == schema.HTTP):
		in.Type = dialect.Intern(name)
		d.failure(string(name), p)
		d.Address()
	case isFailure(in, name), in.Transport == schema.HTTP:
		d.pass(in, errorEvent(in, string(name), p), b)
	case string(name) == "chunk":
		d.pass(in, unwrap(p.v), b)
	default:
		in.Type = dialect.Intern(name)
		d.Unknown()
	}
}

// otherModel reports whether an InvokeModel exchange is with a model that has a protocol of its
// own. If no path names the model, the first event or request decides.
func (d *decoder) otherModel(in *dialect.Input) bool {
	if !d.settled && in.JSON != nil {
		d.other = !speaksMessages(in) && (in.Direction == schema.Send || isOtherEvent(in.JSON))
		d.settled = d.other || speaksMessages(in)
	}
	return d.other
}

// pass decodes an event as the message of the present frame.
func (d *decoder) pass(in *dialect.Input, data []byte, b *dialect.Emitter) {
	known := parsed(data, func(inside *dialect.Input) {
		inside.Frame = in.Frame
		if d.otherModel(inside) && dialect.IsObject(inside.JSON) {
			d.otherEvent(inside, false)
			d.Address()
			return
		}
		d.invoked.Decode(inside, b)
	})
	if !known {
		d.Unknown()
	}
}

var parsers fastjson.ParserPool

// parsed parses a message and calls see with it. It reports whether data is JSON.
func parsed(data []byte, see func(inside *dialect.Input)) bool {
	if depth, ok := wellformed.Check(data); !ok || depth > wellformed.MaxDepth {
		return false
	}
	p := parsers.Get()
	defer parsers.Put(p)
	v, err := p.ParseBytes(data)
	if err == nil {
		see(&dialect.Input{Data: data, JSON: v})
	}
	return err == nil
}

// unwrap decodes the bytes of a chunk. It returns nil if there are none.
func unwrap(v *fastjson.Value) []byte {
	text := v.GetStringBytes("bytes")
	if len(text) == 0 {
		return nil
	}
	data, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return nil
	}
	return data
}

// errorEvent returns a failure as an error event of Anthropic's API.
func errorEvent(in *dialect.Input, name string, p part) []byte {
	var inner, outer dialect.Attributes
	inner.AddText("type", name)
	inner.AddText("message", string(reasonOf(in, name, p)))
	outer.AddText("type", "error")
	outer.AddRaw("error", []byte(inner.Text()))
	return []byte(outer.Text())
}
