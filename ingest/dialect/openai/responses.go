package openai

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// responses decodes one stream of Responses: one, or several one after the other.
type responses struct {
	exchange
	view    bool           // the request is for an existing response
	compact bool           // the request is for a compaction
	viewed  string         // the id of that response
	waiting *moment        // a request whose answer has not named the response
	id      dialect.Last   // of the latest response
	begun   dialect.Recent // ids of the responses that began in the stream
	past    dialect.Recent // ids of the responses that ended
	responseState
	left    *left  // nil if there is none
	late    bool   // the present frame is of it
	key     []byte // scratch
	eventID dialect.Last
}

// responseState is the state of one response, beside its Conversation.
type responseState struct {
	over    string // the response that ended last
	failure string // the error of that response, "" for none
	attrs   dialect.Attributes
	count   sequence
	items   []item
	// searched is the search for tools whose result has not come yet.
	searched *model.Tool
	counted  *dialect.Usage // the usage that was counted last
	of       string         // the response that it belongs to
}

// moment is the time and the place of a frame.
type moment struct {
	seq uint64
	at  int64
}

// typeCompaction is the object that POST /v1/responses/compact answers. Its output repeats messages
// of the conversation, and has the compaction, which is opaque.
const typeCompaction = "response.compaction"

func isCompaction(v *fastjson.Value) bool {
	return string(v.GetStringBytes("object")) == typeCompaction
}

func newResponses(string) dialect.Decoder {
	d := &responses{}
	d.Init(d, "")
	d.Recognise = matchResponses
	return d
}

// Decode implements dialect.Decoder.
func (d *responses) Decode(in *dialect.Input, b *dialect.Emitter) {
	d.late = false
	d.exchange.Decode(in, b)
	if d.late {
		in.Session, in.Run = d.left.Session, d.left.RunID
	}
}

// Request implements model.API. The body of the request, or its answer, begins the response.
func (d *responses) Request(h *dialect.Head) {
	place, id := placeOf(h)
	d.Foreign, d.view, d.viewed = place == elsewhere, place == viewing, string(id)
	d.compact = place == compacting
}

// Message implements model.API.
func (d *responses) Message(in *dialect.Input) string {
	switch {
	case in.JSON == nil:
		d.Frame.Type = d.eventID.Own([]byte(in.Event))
		switch {
		case string(in.Data) == dialect.DoneMarker: // some gateways send it
			d.Frame.Type = dialect.DoneMarker
		case d.Refusal.Refused() && in.Direction == schema.Receive && !d.view:
			if d.waiting != nil {
				d.begin("", nil, false)
			}
			d.Fail(in.Data, d.Refusal.Text())
		}
	case in.JSON.Type() != fastjson.TypeObject:
		d.Unknown()
	case in.Direction == schema.Send:
		d.request(in)
	case len(in.JSON.GetStringBytes("type")) == 0 || in.Transport == schema.HTTP:
		d.body(in)
	case d.ofLeft(in.JSON):
		d.eventOfLeft(in)
	default:
		d.event(in)
	}
	return in.Type
}

// event reads an event of a stream.
func (d *responses) event(in *dialect.Input) {
	v := in.JSON
	typ, known := events.Of(v.GetStringBytes("type"))
	e := &typ.Handle
	d.Frame.Type = typ.Name
	if d.number(in, e) {
		return // the frame is a repeat
	}
	if !known {
		d.Unknown()
		return
	}
	switch e.kind {
	case started:
		d.started(v.Get("response"), typ.Name == created || d.count.fromStart())
	case ended:
		d.ended(in, v.Get("response"), "response", e.status)
	case failure:
		d.error(errorOf(v))
	case itemAdded:
		d.added(v)
	case itemDone:
		index := d.indexOf(v)
		d.done(index, v.Get("item"), dialect.RawMember(in.Data, "item"))
	case textDelta, textDone, partDone:
		d.text(in, e)
	case inputDelta, inputDone:
		d.input(v, e)
	}
}

// body reads a message that is not an event: a whole response, or an error.
func (d *responses) body(in *dialect.Input) {
	v := in.JSON
	d.count.follows = false
	switch why := errorOf(v); {
	case string(v.GetStringBytes("object")) == "response":
		d.Frame.Type = "response"
		d.whole(in, v)
	case isCompaction(v):
		d.Frame.Type = typeCompaction
		d.ended(in, v, "", schema.StatusOK)
	case why != nil || d.Refusal.Refused():
		d.Frame.Type = typeError
		if why == nil {
			why = messageOf(v)
		}
		if !d.view {
			d.error(why)
		}
	default:
		d.Frame.Type = dialect.Intern(v.GetStringBytes("object"))
		d.Unknown()
	}
}

// Leave implements model.API. A response that was requested and never answered is settled too.
func (d *responses) Leave() {
	d.settleLeft()
	if d.waiting != nil {
		d.begin("", nil, false)
	}
	if d.Run() != nil && d.Refusal.Refused() && !d.view {
		d.EndRefused()
		d.Refusal.Answer(0)
	}
	d.Abandon()
}
