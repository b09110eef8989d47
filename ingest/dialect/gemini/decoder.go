package gemini

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// decoder reads one stream: one exchange behind a proxy, otherwise responses one after the other,
// or several concurrently.
type decoder struct {
	model.Exchange
	answer answer
	others []response   // in progress, besides the present one
	tail   dialect.Tail // of the responses that have ended
	runID  dialect.Last
	typ    dialect.Last
}

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.Init(d, provider)
	d.EventIDs, d.Recognise = true, match
	return d
}

// Message implements model.API.
func (d *decoder) Message(in *dialect.Input) string {
	switch {
	case string(in.Data) == dialect.DoneMarker: // gateways send it
		return dialect.DoneMarker
	case in.Direction == schema.Send:
		return d.request(in)
	case in.JSON == nil:
		return d.textAnswer(in)
	case in.JSON.Type() == fastjson.TypeArray:
		return d.array(in)
	}
	typ := d.response(in.JSON, in.Data)
	if in.Transport == schema.HTTP {
		d.whole()
	}
	return typ
}

// array reads the answers of a stream in one JSON array, which was recorded as one body.
func (d *decoder) array(in *dialect.Input) string {
	typ := ""
	dialect.Elements(in.JSON.GetArray(), in.Data, 0, func(_ int, v *fastjson.Value, raw []byte) {
		typ = d.response(v, raw)
	})
	if in.Transport == schema.HTTP {
		d.whole()
	}
	return typ
}

// whole ends the answer of a whole body.
func (d *decoder) whole() {
	switch {
	case d.Run() == nil:
	case d.Refusal.Refused():
		d.EndRefused()
		d.Refusal.Answer(0)
	default:
		d.finish()
	}
}

// textAnswer reads a message that is not JSON: the page of a gateway, or part of a body.
func (d *decoder) textAnswer(in *dialect.Input) string {
	if in.Transport == schema.HTTP && d.Refusal.Refused() {
		d.failed(in.Data, d.Refusal.Text())
		return "error"
	}
	if in.Transport != schema.HTTP {
		d.Unknown()
	}
	return in.Event
}

// Leave implements model.API.
func (d *decoder) Leave() {
	d.EndRefused()
	d.leave()
	d.leaveOthers()
}
