// Package interactions reads Google's Interactions API, as server-sent events or whole answers, and
// the requests that a proxy recorded. docs/dialects/google-interactions.md describes how it reads
// them.
package interactions

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is the Interactions API of Gemini and of Vertex AI.
var Dialect = dialect.Dialect{
	Name: "google-interactions", Match: match, Ends: dialect.EndsWith("interaction.completed", "interaction.complete", typeError),
	New: newDecoder,
}

// provider serves every model of this API.
const provider = "google"

// Types of whole interactions, of requests and of errors.
const (
	typeWhole   = "interaction"
	typeRequest = "request"
	typeError   = "error"
)

// decoder reads one stream: one exchange behind a proxy, otherwise interactions one after the
// other.
type decoder struct {
	model.Exchange
	viewed string         // the id of an existing interaction that the request reads
	begun  bool           // the answer to the request has begun
	ended  bool           // the latest interaction has ended
	call   *dialect.Span  // of the latest interaction
	usage  *dialect.Usage // of the latest interaction
	attrs  dialect.Attributes
	steps  []step // open steps
	key    []byte // scratch: of a text
	id     dialect.Last
}

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.Init(d, provider)
	d.EventIDs = true
	return d
}

// events maps types of events to handlers. The first version of the API called steps contents.
var events = dialect.NewTypes(map[string]func(*decoder, *dialect.Input){
	"interaction.created":       (*decoder).created,
	"interaction.start":         (*decoder).created,
	"interaction.status_update": (*decoder).statusUpdate,
	"step.start":                (*decoder).stepStart,
	"content.start":             (*decoder).stepStart,
	"step.delta":                (*decoder).stepDelta,
	"content.delta":             (*decoder).stepDelta,
	"step.stop":                 (*decoder).stepStop,
	"content.stop":              (*decoder).stepStop,
	"interaction.completed":     (*decoder).completed,
	"interaction.complete":      (*decoder).completed,
	typeError:                   (*decoder).failed,
})

// Message implements model.API.
func (d *decoder) Message(in *dialect.Input) string {
	v := in.JSON
	switch {
	case string(in.Data) == dialect.DoneMarker:
		return dialect.DoneMarker
	case v == nil || v.Type() != fastjson.TypeObject:
		if !d.IsRefusal(in) {
			return dialect.Intern([]byte(in.Event))
		}
		d.fail(nil, in.Data)
		return typeError
	case in.Direction == schema.Send:
		return d.request(v, in.Data)
	case isInteraction(v):
		d.whole(v, in.Data)
		return typeWhole
	case d.Refusal.Refused() && v.Get("event_type") == nil:
		d.fail(dialect.FirstText(v.Get("error"), "message"), in.Data)
		return typeError
	}
	if id := v.GetStringBytes("event_id"); len(id) > 0 {
		in.EventID = string(id)
	}
	typ, known := events.Of(v.GetStringBytes("event_type"))
	if !known {
		d.Unknown()
	} else {
		typ.Handle(d, in)
	}
	return typ.Name
}
