package agui

import (
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// decoder is the state of one stream.
type decoder struct {
	model.Stream
	*level          // the run that events belong to
	outer  []*level // runs in which it was begun, the innermost last

	session, id, agent dialect.Last
	status             int    // of the answer, where its head was seen
	gone               []gone // runs that were given up, the latest last
	of                 *gone  // the one of them that the present frame ended
	left               bool   // the present frame ended the run of its level
}

// level is the place of a run: runs that follow each other share one, a run
// that is begun inside of another has its own.
type level struct {
	talk model.Conversation
	run  running
}

// levelLimit bounds the runs inside of each other.
const levelLimit = 8

// Decode reads one frame.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	d.Begin(in, b)
	defer d.Done()
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
	case in.JSON != nil:
		d.event(in)
	}
	d.talk.Address()
	d.talk.Node, d.talk.Agent = "", ""
	if d.of != nil {
		in.Session, in.Run, d.of = d.of.span.Session, d.of.id, nil
	}
	if d.left {
		d.left = false
		d.pop()
	}
	in.EventID = in.ID
}

// End settles what is still open.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	defer d.Done()
	for {
		d.giveUp()
		if !d.pop() {
			return
		}
	}
}

// event reads an event.
func (d *decoder) event(in *dialect.Input) {
	typ := in.JSON.GetStringBytes("type")
	w, known := byType[string(typ)]
	in.Type = w.name
	if !known {
		if in.Type = dialect.Intern(typ); in.Type == "" {
			in.Type = in.Event
		}
		d.Unknown()
		return
	}
	if w.kind == aside {
		return
	}
	d.attribute(in.JSON.GetStringBytes("subagentRunId"))
	d.chunksEnd(w.kind)
	v := in.JSON
	switch w.kind {
	case runStarted:
		d.started(in)
	case runFinished:
		d.finished(in)
	case runError:
		d.failed(in)
	case stepStarted:
		d.beginStep(v.GetStringBytes("stepName"))
	case stepFinished:
		d.endStep(v.GetStringBytes("stepName"))
	case agentStarted:
		d.beginAgent(in)
	case agentFinished, agentFailed:
		d.endAgent(w.kind, v)
	case textStart, textContent, textEnd:
		d.text(w.kind, v)
	case thinkingContent:
		d.say(schema.MessageThinking, v.GetStringBytes("messageId"), v.GetStringBytes("delta"))
	case thinkingEnd:
		d.talk.Complete(schema.MessageThinking, v.GetStringBytes("messageId"))
	case textChunk, thinkingChunk:
		d.textChunk(w.kind, v)
	case toolStart, toolArgs, toolEnd, toolChunk:
		d.toolCall(w.kind, v)
	case toolResult:
		d.toolResult(in)
	case snapshot:
		d.snapshot(dialect.RawMember(in.Data, "messages"))
	case raw:
		d.rawUsage(in)
	}
}
