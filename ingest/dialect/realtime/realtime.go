// Package realtime reads OpenAI's Realtime API: speech and text to and from a model over a
// WebSocket. docs/dialects/openai-realtime.md describes how it reads it.
package realtime

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is the Realtime API.
var Dialect = dialect.Dialect{
	Name: "openai-realtime", Match: match,
	Ends: dialect.EndsWith(responseDone), New: newDecoder,
}

const (
	responseCreated = "response.created"
	responseDone    = "response.done"
)

// decoder reads one stream. The embedded answer is the one to the conversation; beside has the
// out-of-band responses.
type decoder struct {
	stream model.Stream
	*answer
	beside []*answer

	asked   int64 // when a response was requested that has not begun, ns
	hearing transcriber
	said    dialect.Recent // user messages of the client
	echoed  dialect.Recent // ids of items that the server repeated
	session dialect.Last
	eventID dialect.Last
}

// transcriber is the model that transcribes the user's speech.
type transcriber struct{ model, provider string }

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.answer = d.newAnswer()
	return d
}

// Decode reads one message. Audio comes as base64 in a message or, from some servers, as a binary
// message without text.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	d.stream.Begin(in, b)
	defer d.stream.Done()
	of := d.answer
	if in.JSON != nil {
		of = d.event(in)
	}
	of.Address()
}

// event reads an event and returns its answer.
func (d *decoder) event(in *dialect.Input) *answer {
	v := in.JSON
	table := serverEvents
	if in.Direction == schema.Send {
		table = clientEvents
	}
	typ, known := table.Of(v.GetStringBytes("type"))
	in.Type, in.EventID = typ.Name, d.eventID.Own(v.GetStringBytes("event_id"))
	if !known {
		d.stream.Unknown()
		return d.answer
	}
	e := typ.Handle
	if e.session != nil {
		e.session(d, v)
	}
	if e.answer == nil {
		return d.answer
	}
	a := d.answerOf(v)
	e.answer(a, in)
	return a
}

// event describes how a type of event is handled: for the session, or for one response. Types
// without a handler are ignored.
type event struct {
	session func(*decoder, *fastjson.Value)
	answer  func(*answer, *dialect.Input)
}

func ofSession(f func(*decoder, *fastjson.Value)) event { return event{session: f} }
func ofAnswer(f func(*answer, *dialect.Input)) event    { return event{answer: f} }

// clientEvents maps the types of events that the client sends.
var clientEvents = dialect.NewTypes(map[string]event{
	"session.update":               {},
	"transcription_session.update": {},
	"input_audio_buffer.append":    {},
	"input_audio_buffer.commit":    {},
	"input_audio_buffer.clear":     {},
	"output_audio_buffer.clear":    {},
	"conversation.item.create":     ofSession((*decoder).itemSent),
	"conversation.item.retrieve":   {},
	"conversation.item.truncate":   {},
	"conversation.item.delete":     {},
	"response.create":              ofSession((*decoder).responseAsked),
	"response.cancel":              {},
})

// serverEvents maps the types of events that the server sends. Several have another name in the
// first version of the API.
var serverEvents = dialect.NewTypes(map[string]event{
	"session.created":               ofSession((*decoder).described),
	"session.updated":               ofSession((*decoder).described),
	"transcription_session.created": ofSession((*decoder).described),
	"transcription_session.updated": ofSession((*decoder).described),
	"error":                         ofSession((*decoder).failed),
	"rate_limits.updated":           {},

	"input_audio_buffer.committed":           {},
	"input_audio_buffer.cleared":             {},
	"input_audio_buffer.speech_started":      {},
	"input_audio_buffer.speech_stopped":      {},
	"input_audio_buffer.timeout_triggered":   {},
	"input_audio_buffer.dtmf_event_received": {},
	"output_audio_buffer.started":            {},
	"output_audio_buffer.stopped":            {},
	"output_audio_buffer.cleared":            {},

	"conversation.created":                                  {},
	"conversation.item.created":                             ofSession((*decoder).itemRepeated),
	"conversation.item.added":                               ofSession((*decoder).itemRepeated),
	"conversation.item.done":                                ofSession((*decoder).itemRepeated),
	"conversation.item.retrieved":                           {},
	"conversation.item.truncated":                           {},
	"conversation.item.deleted":                             {},
	"conversation.item.input_audio_transcription.delta":     ofSession((*decoder).heard),
	"conversation.item.input_audio_transcription.completed": ofSession((*decoder).heardAll),
	"conversation.item.input_audio_transcription.failed":    ofSession((*decoder).failed),
	"conversation.item.input_audio_transcription.segment":   {},
	"conversation.item.input_audio_transcription.updated":   ofSession((*decoder).heardSoFar), // xAI
	"ping": {},

	responseCreated:                          ofAnswer((*answer).created),
	responseDone:                             ofAnswer((*answer).done),
	"response.output_item.added":             ofAnswer((*answer).itemAdded),
	"response.output_item.done":              ofAnswer((*answer).itemDone),
	"response.content_part.added":            {},
	"response.content_part.done":             ofAnswer((*answer).partDone),
	"response.text.delta":                    ofAnswer((*answer).textDelta),
	"response.text.done":                     ofAnswer((*answer).textDone),
	"response.output_text.delta":             ofAnswer((*answer).textDelta),
	"response.output_text.done":              ofAnswer((*answer).textDone),
	"response.audio_transcript.delta":        ofAnswer((*answer).spokenDelta),
	"response.audio_transcript.done":         ofAnswer((*answer).spokenDone),
	"response.output_audio_transcript.delta": ofAnswer((*answer).spokenDelta),
	"response.output_audio_transcript.done":  ofAnswer((*answer).spokenDone),
	"response.audio.delta":                   ofAnswer((*answer).sound),
	"response.audio.done":                    {},
	"response.output_audio.delta":            ofAnswer((*answer).sound),
	"response.output_audio.done":             {},
	"response.function_call_arguments.delta": ofAnswer((*answer).argumentsDelta),
	"response.function_call_arguments.done":  ofAnswer((*answer).argumentsDone),
	"response.mcp_call_arguments.delta":      ofAnswer((*answer).argumentsDelta),
	"response.mcp_call_arguments.done":       ofAnswer((*answer).argumentsDone),
	"response.mcp_call.in_progress":          {},
	"response.mcp_call.completed":            {},
	"response.mcp_call.failed":               {},
	"mcp_list_tools.in_progress":             {},
	"mcp_list_tools.completed":               {},
	"mcp_list_tools.failed":                  {},
})

// End settles what is open.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.stream.End(at, b)
	defer d.stream.Done()
	for _, a := range d.beside {
		a.Abandon()
	}
	d.Abandon()
}
