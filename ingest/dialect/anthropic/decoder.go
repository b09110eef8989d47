package anthropic

import (
	"bytes"
	"cmp"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is Anthropic's Messages API.
var Dialect = dialect.Dialect{
	Name: "anthropic-messages", Match: match,
	Ends: dialect.EndsWith("message_stop", "error"), New: newDecoder,
}

// decoder reads responses one after the other, or exchanges that a proxy recorded.
type decoder struct {
	model.Stream
	trace    model.Conversation
	messages Messages

	endpoint endpoint
	at       int64 // of the request's head, ns; 0 once its run has begun
	refusal  model.Refusal
}

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.trace.Stream = &d.Stream
	d.messages = Messages{trace: &d.trace, Runs: true}
	return d
}

// Decode implements dialect.Decoder.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	d.Begin(in, b)
	defer d.Done()
	in.EventID = in.ID
	if head, ok := dialect.HeadOf(in); ok {
		d.head(&head)
	} else if len(in.Data) > 0 {
		d.place(in)
		if in.Direction == schema.Send {
			d.request(in)
		} else {
			d.answer(in)
		}
	}
	d.trace.Address()
}

// head reads the head of a request or an answer.
func (d *decoder) head(h *dialect.Head) {
	if h.Status == 0 {
		d.endpoint, d.at = endpointOf(h.Path), d.Frame.At
	}
	if d.refusal.Answer(h.Status); h.Status == 0 {
		return
	}
	if d.endpoint == messagesEndpoint {
		d.asked() // no body was recorded, or it is not JSON
		d.messages.RequestID = cmp.Or(string(h.Field("request-id")), string(h.Field("x-request-id")))
		d.trace.Billing.RequestID = d.messages.RequestID
	}
}

// place clears foreign if the answer identifies the API, as gateways serve it at paths of their
// own.
func (d *decoder) place(in *dialect.Input) {
	if d.endpoint != otherEndpoint || in.Direction == schema.Send {
		return
	}
	if sure, _ := match(in); sure >= dialect.Likely {
		d.endpoint = messagesEndpoint
	}
}

// asked begins the run of a request of which only the head was seen.
func (d *decoder) asked() {
	if d.at != 0 && !d.messages.asked {
		d.messages.Asked(d.at)
	}
	d.at = 0
}

// answer reads a message of the server: an event or a whole body.
func (d *decoder) answer(in *dialect.Input) {
	refused := d.refusal.Refused() && d.messages.asked
	if refused {
		_, status, _ := bytes.Cut(d.refusal.Text(), []byte(" "))
		d.messages.attrs.AddRaw("http_status", status)
	}
	if in.JSON == nil {
		in.Type = dialect.Intern([]byte(in.Event))
		if string(in.Data) == dialect.DoneMarker {
			in.Type = dialect.DoneMarker // gateways add it
		}
		if in.Transport == schema.HTTP && refused {
			d.messages.fail([]byte(string(d.refusal.Text()) + ": " + dialect.Short(in.Data)))
		}
		return
	}
	typ := in.JSON.GetStringBytes("type")
	if len(typ) == 0 {
		typ = []byte(in.Event)
	}
	in.Type = dialect.Intern(typ)
	known := true
	switch failure := in.JSON.Get("error"); {
	case d.endpoint == countEndpoint:
		in.Type = cmp.Or(in.Type, "count_tokens")
	case d.endpoint == otherEndpoint:
		known = in.Type != ""
	case in.Type == "message" && isMessage(in.JSON):
		known = d.messages.Whole(in.Data, in.JSON)
	case in.Type == "" && failure != nil: // an error of a gateway
		in.Type = "error"
		d.messages.Fail(failure)
	default:
		if known = d.messages.event(in.Type, in.Data, in.JSON); !known {
			d.messages.startIn(dialect.RawMember(in.Data, "message"), in.JSON.Get("message"))
		}
	}
	if !known {
		d.Unknown()
	}
}

// isMessage reports whether an object of the type message is a whole message. Servers send other
// events between the events of a message, and SSE names an event without a name "message". With no
// content and a stop_reason of null it is the start of a message.
func isMessage(v *fastjson.Value) bool {
	return string(v.GetStringBytes("role")) == "assistant" && v.Exists("content") &&
		(len(v.GetArray("content")) > 0 || !v.Exists("stop_reason") || !dialect.IsNull(v.Get("stop_reason")))
}

// End implements dialect.Decoder.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	defer d.Done()
	if d.refusal.Refused() && d.messages.asked { // only a head was seen
		d.messages.fail(d.refusal.Text())
	}
	d.messages.GiveUp()
}
