package vercelui

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// decoder is the state of one stream.
type decoder struct {
	model.Stream
	talk model.Conversation

	run      running
	calls    calls
	lines    lines
	id       dialect.Last // of messages
	model    dialect.Last
	status   int  // of the answer, where its head was seen
	whole    bool // the message that comes is told from its start: it was asked for, or is resumed
	afterEnd bool // the frame before was [DONE]
}

// Decode reads one frame.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	d.Begin(in, b)
	defer d.Done()
	if d.afterEnd {
		d.afterEnd = false
		d.forget()
	}
	head, isHead := dialect.HeadOf(in)
	switch {
	case isHead:
		d.head(in, &head)
	case len(in.Data) == 0:
		return
	case in.Direction == schema.Send:
		d.sent(in)
	case d.status >= 400:
		d.refused(in.Data)
	case in.Transport == schema.HTTP && (d.lines.seen || in.JSON == nil):
		d.piece(in.Data)
	case in.JSON != nil:
		d.chunk(in)
	case string(in.Data) == doneMarker:
		in.Type = doneMarker
		d.closed()
		d.afterEnd = true
	case in.Transport != schema.SSE:
		in.Type = d.line(in.Data)
	}
	d.talk.Address()
	in.EventID = in.ID
}

// End settles what is still open.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	defer d.Done()
	d.lines.end(d)
	d.leaveRun()
}

// chunk reads a chunk of the UI message stream.
func (d *decoder) chunk(in *dialect.Input) {
	typ := in.JSON.GetStringBytes("type")
	w, known := byType[string(typ)]
	in.Type = w.name
	switch {
	case known:
		d.known(w.kind, in)
	case bytes.HasPrefix(typ, []byte("data-")):
		in.Type = dialect.Intern(typ)
		d.data(in)
	default:
		in.Type = dialect.Intern(typ)
		if in.Type == "" {
			in.Type = in.Event
		}
		d.Unknown()
	}
}

func (d *decoder) known(k kind, in *dialect.Input) {
	v := in.JSON
	switch k {
	case start:
		d.started(v.GetStringBytes("messageId"))
		d.annotated(in)
	case startStep:
		d.beginStep()
	case finishStep:
		d.endStep()
	case resetStep:
		d.resetStep()
	case finish:
		d.annotated(in)
		d.finished(v.GetStringBytes("finishReason"))
	case abort:
		d.aborted(v.GetStringBytes("reason"))
	case failure:
		d.failed(v.GetStringBytes("errorText"))
	case metadata:
		d.annotated(in)
	case textStart, textEnd:
		d.talk.Complete(schema.MessageAssistant, v.GetStringBytes("id"))
	case textDelta:
		d.say(schema.MessageAssistant, v.GetStringBytes("id"), v.GetStringBytes("delta"))
	case reasoningStart, reasoningEnd:
		d.talk.Complete(schema.MessageThinking, v.GetStringBytes("id"))
	case reasoningDelta:
		d.say(schema.MessageThinking, v.GetStringBytes("id"), v.GetStringBytes("delta"))
	case output:
		d.spoken()
	case inputStart, inputDelta, inputReady, inputError:
		d.toolInput(k, in)
	case outputReady, outputError, outputDenied:
		d.toolOutput(k, in)
	case approvalAsked, approvalGiven:
		d.approval(k, in)
	}
}
