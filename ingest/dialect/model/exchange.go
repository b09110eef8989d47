package model

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// Exchange is the Conversation of a decoder whose stream is one HTTP exchange with an API when
// a proxy recorded it: the head and the body of the request, then the head and the messages of
// the answer. Without heads the stream is answers one after the other.
//
// A decoder embeds Exchange, which implements dialect.Decoder, and implements API. Init must be
// called before the first frame.
type Exchange struct {
	Conversation
	// Foreign: the request went to another endpoint. Messages are not read; see Recognise.
	Foreign bool
	// Recognise judges the answer to a Foreign request: an answer that is Likely of this API
	// clears Foreign, as gateways serve APIs at paths of their own. A nil Recognise never clears
	// it.
	Recognise func(in *dialect.Input) (dialect.Confidence, string)
	// EventIDs: the id of an SSE event is the EventID of its frame.
	EventIDs bool
	// Refusal is the HTTP status of the answer if it is an error.
	Refusal Refusal

	api      API
	provider string
	stream   Stream
}

// API is what a decoder adds to its Exchange. Exchange itself has an Answer and a Leave that
// serve most decoders.
type API interface {
	// Request reads the head of a request. It sets Foreign, and begins a run with a call of the
	// model if the request asks for one.
	Request(h *dialect.Head)
	// Answer reads the head of an answer.
	Answer(h *dialect.Head)
	// Message reads a message and returns its type.
	Message(in *dialect.Input) string
	// Leave settles what is in progress: no more frames of it will come.
	Leave()
}

// Init connects the exchange to its decoder. The provider serves every model of the API; it is ""
// if the models' names imply their providers.
func (x *Exchange) Init(api API, provider string) {
	x.api, x.provider = api, provider
	x.Stream, x.Provider = &x.stream, provider
}

// Decode implements dialect.Decoder.
func (x *Exchange) Decode(in *dialect.Input, b *dialect.Emitter) {
	x.Begin(in, b)
	defer x.Done()
	if x.EventIDs {
		in.EventID = in.ID
	}
	if h, ok := dialect.HeadOf(in); ok {
		x.head(h)
	} else {
		x.message(in)
	}
	x.Address()
}

// head passes a head to the decoder. It takes a copy, since a head that escapes to the heap would
// be allocated for every frame.
func (x *Exchange) head(h dialect.Head) {
	if h.Status != 0 {
		x.api.Answer(&h)
	} else {
		x.api.Request(&h)
	}
}

// message passes a message to the decoder. A binary message may have no data: its headers may state
// an error.
func (x *Exchange) message(in *dialect.Input) {
	if len(in.Data) == 0 && in.Transport != schema.EventStream {
		return
	}
	if x.Foreign && x.Recognise != nil && in.Direction == schema.Receive {
		sure, _ := x.Recognise(in)
		x.Foreign = sure < dialect.Likely
	}
	if !x.Foreign {
		in.Type = x.api.Message(in)
	}
}

// End implements dialect.Decoder.
func (x *Exchange) End(at int64, b *dialect.Emitter) {
	x.stream.End(at, b)
	x.api.Leave()
	x.Done()
}

// Answer implements API: it keeps the status.
func (x *Exchange) Answer(h *dialect.Head) { x.Refusal.Answer(h.Status) }

// Leave implements API: a refused request ends its run in an error, and what is in progress
// otherwise is unclosed.
func (x *Exchange) Leave() {
	x.EndRefused()
	x.Abandon()
}

// Next settles the exchange before, as another begins.
func (x *Exchange) Next() {
	x.api.Leave()
	x.Refusal.Answer(0)
}

// Reset forgets the run and the model of the answer before.
func (x *Exchange) Reset() {
	x.ForgetModel()
	x.Provider = x.provider
}

// Ask begins a run with a call of the model, which it returns.
func (x *Exchange) Ask() *dialect.Span {
	x.Reset()
	x.OpenRun("")
	return x.OpenCall()
}

// RequestModel sets the model that a request names. It may be empty.
func (x *Exchange) RequestModel(model []byte) {
	if len(model) > 0 {
		x.SetModel(string(model), x.provider)
		x.Billing.RequestedModel = x.Model
	}
}

// IsRefusal reports whether a message that is not JSON is the answer to a refused request, such
// as the page of a gateway. It marks any other one outside of an HTTP body as unknown.
func (x *Exchange) IsRefusal(in *dialect.Input) bool {
	if in.Direction == schema.Receive && x.Refusal.Refused() {
		return true
	}
	if in.Transport != schema.HTTP {
		x.Unknown()
	}
	return false
}

// EndRefused ends the run of a refused request whose answer had only a head.
func (x *Exchange) EndRefused() {
	if x.Run() != nil && x.Refusal.Refused() {
		x.EndRun(schema.StatusError, x.Refusal.Text())
	}
}

// Fail ends the run in an error: text is its message and why the error of the run. If no run is in
// progress it begins one without a start. The exchange is over.
func (x *Exchange) Fail(text, why []byte) {
	if x.Run() == nil {
		x.Reset()
		x.RunAtEnd()
	}
	x.Say(schema.MessageError, text)
	x.EndRun(schema.StatusError, why)
	x.Refusal.Answer(0)
}
