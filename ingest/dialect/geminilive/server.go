package geminilive

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// spoken is the attribute of transcribed speech.
const spoken = `{"spoken":true}`

// Keys of growing messages: written, and spoken.
var (
	written = []byte("w")
	speech  = []byte("s")
)

// serverContent reads output of the model, and transcripts of what the user and the model say.
func (d *decoder) serverContent(v *fastjson.Value, raw []byte) {
	if text := v.GetStringBytes("inputTranscription", "text"); len(text) > 0 {
		d.InRun()
		d.transcript(schema.MessageUser, text)
	}
	dialect.Elements(v.GetArray("modelTurn", "parts"), dialect.RawPath(raw, "modelTurn.parts"), 0, d.part)
	if text := v.GetStringBytes("outputTranscription", "text"); len(text) > 0 {
		d.inCall()
		d.Complete(schema.MessageThinking, written)
		d.transcript(schema.MessageAssistant, text)
	}
	if grounding := dialect.RawMember(raw, "groundingMetadata"); len(grounding) > len("{}") && d.call != nil {
		d.call.Attributes = dialect.Attribute("grounding", grounding)
		d.Emitter.ChangedSpan(d.call, d.Frame)
	}
	if v.GetBool("interrupted") && d.Run() != nil { // the user spoke
		d.EndRun(schema.StatusCancelled, nil)
		d.usage = nil
	}
}

// transcript adds to the transcript of what someone says.
func (d *decoder) transcript(kind schema.MessageKind, text []byte) {
	m := d.Growing(kind, speech)
	if m == nil {
		m = d.BeginText(kind, speech)
		m.Attributes = spoken
		if kind == schema.MessageUser {
			d.Emitter.SetTitle(d.Session, text)
		}
	}
	d.Append(kind, speech, text)
}

// part reads a part of the model's turn.
func (d *decoder) part(_ int, part *fastjson.Value, raw []byte) {
	d.inCall()
	switch text := part.GetStringBytes("text"); {
	case len(text) > 0 && part.GetBool("thought"):
		d.Append(schema.MessageThinking, written, text)
	case len(text) > 0:
		d.Complete(schema.MessageThinking, written)
		d.Append(schema.MessageAssistant, written, text)
	case part.Get("inlineData") != nil:
		d.FirstToken() // audio, which stays in the frame
	case part.Get("functionCall") != nil:
		d.functionCall(part.Get("functionCall"), dialect.RawMember(raw, "functionCall"))
	case part.Get("executableCode") != nil:
		d.code = d.Tool(part.GetStringBytes("executableCode", "id"), []byte("code_execution"))
		d.SetArguments(d.code, dialect.RawMember(raw, "executableCode"))
	case part.Get("codeExecutionResult") != nil:
		d.codeResult(part.Get("codeExecutionResult"))
	case part.Get("text") != nil, part.Get("thoughtSignature") != nil:
	default:
		d.Unknown()
	}
}

// codeResult ends the execution of code.
func (d *decoder) codeResult(v *fastjson.Value) {
	tool := d.code
	if d.code = nil; tool == nil {
		return
	}
	if output := v.GetStringBytes("output"); output != nil {
		d.Returned(tool, output, "text")
	}
	switch outcome := v.GetStringBytes("outcome"); string(outcome) {
	case "OUTCOME_FAILED", "OUTCOME_DEADLINE_EXCEEDED":
		d.EndTool(tool, schema.StatusError, outcome)
	default:
		d.EndTool(tool, schema.StatusOK, nil)
	}
}

// turnComplete ends a turn. Its reason is stated if the turn has no complete answer.
func (d *decoder) turnComplete(v *fastjson.Value) {
	if d.Run() == nil {
		return // it was interrupted, or is repeated
	}
	switch reason := v.GetStringBytes("turnCompleteReason"); string(reason) {
	case "MALFORMED_FUNCTION_CALL", "RESPONSE_REJECTED", "PROHIBITED_INPUT_CONTENT", "IMAGE_PROHIBITED_INPUT_CONTENT":
		d.Say(schema.MessageError, reason)
		d.EndRun(schema.StatusError, reason)
	default:
		d.EndRun(schema.StatusOK, nil)
	}
	d.usage, d.silent = nil, true
}
