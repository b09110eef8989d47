package opencode

import (
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// stepEvents maps types of the events of version 2 to handlers. Version 1.18 sends most of them
// as "session.next.…", beside messages and parts with the same facts.
var stepEvents = map[string]handler{
	"session.execution.started":     func(t *session, _ *fastjson.Value, _ []byte) { t.begin() },
	"session.execution.succeeded":   func(t *session, _ *fastjson.Value, _ []byte) { t.idle(nil, nil) },
	"session.execution.failed":      (*session).executionFailed,
	"session.execution.interrupted": (*session).interrupted,
	"session.inbox.enqueued":        inSteps((*session).enqueued),
	"session.input.admitted":        inSteps((*session).enqueued),
	"session.inbox.delivered":       inSteps((*session).delivered),
	"session.input.promoted":        inSteps((*session).delivered),
	"session.prompted":              inSteps((*session).prompted),
	"session.step.started":          inSteps((*session).started),
	"session.step.ended":            inSteps((*session).ended),
	"session.step.failed":           inSteps((*session).stepFailed),
	"session.retry.scheduled":       inSteps((*session).retried),
	"session.retried":               inSteps((*session).retried),
	"session.text.delta":            inSteps(says(schema.MessageAssistant)),
	"session.text.ended":            inSteps(said(schema.MessageAssistant)),
	"session.reasoning.delta":       inSteps(says(schema.MessageThinking)),
	"session.reasoning.ended":       inSteps(said(schema.MessageThinking)),
	"session.tool.input.started":    inSteps((*session).inputStarted),
	"session.tool.input.delta":      inSteps((*session).inputDelta),
	"session.tool.input.ended":      inSteps((*session).inputEnded),
	"session.tool.called":           inSteps((*session).called),
	"session.tool.progress":         inSteps((*session).progressed),
	"session.tool.success":          inSteps((*session).succeeded),
	"session.tool.failed":           inSteps((*session).toolFailed),
	// These name their session, and state nothing else.
	"session.text.started":      inSteps(nothing),
	"session.reasoning.started": inSteps(nothing),
}

func nothing(*session, *fastjson.Value, []byte) {}

// stepNoted has the prefixes of types of version 2 that only name their session.
var stepNoted = []string{
	"session.agent.", "session.model.", "session.moved", "session.renamed", "session.forked", "session.inbox.",
	"session.prompt.admitted", "session.instructions.", "session.context.", "session.synthetic", "session.skill.",
	"session.shell.", "session.compaction.", "session.usage.", "session.revert.", "session.message.",
}

// stepType returns the type of an event without the prefix that version 1.18 gives it.
func stepType(typ string) string {
	if rest, next := strings.CutPrefix(typ, "session.next."); next {
		return "session." + rest
	}
	return typ
}

// isOfSteps reports whether an event is of version 2, by its type and the member with its content.
func isOfSteps(typ, member string) bool { return member == "data" || stepType(typ) != typ }

func isStepNoted(typ, member string) bool {
	return isOfSteps(typ, member) && slices.ContainsFunc(stepNoted, func(prefix string) bool {
		return strings.HasPrefix(stepType(typ), prefix)
	})
}

// form is the kind of events from which a session is read. A server may send the same facts in
// both: the kind that comes first counts.
type form uint8

const (
	anyForm form = iota
	partForm
	stepForm
)

// inParts makes a handler of events with messages and parts.
func inParts(read handler) handler { return read.in(partForm) }

// inSteps makes a handler of the events of version 2.
func inSteps(read handler) handler { return read.in(stepForm) }

func (read handler) in(f form) handler {
	return func(t *session, p *fastjson.Value, raw []byte) {
		if t.form == anyForm {
			t.form = f
		}
		if t.form == f {
			read(t, p, raw)
		}
	}
}

// input is a message of the user that waits for its turn.
type input struct {
	id   string
	text []byte
}

// openInputs bounds the waiting messages of a session.
const openInputs = 16

// enqueued keeps a message of the user until it is delivered.
func (t *session) enqueued(p *fastjson.Value, _ []byte) {
	item := p.Get("item")
	if item == nil {
		item = p.Get("input") // before version 2.0
	}
	text := item.GetStringBytes("payload", "text")
	if text == nil {
		text = item.GetStringBytes("data", "text")
	}
	id := dialect.FirstText(p, "inboxID", "inputID")
	if string(item.GetStringBytes("type")) == "user" && len(id) > 0 && len(text) > 0 {
		t.inputs = dialect.AppendRecent(t.inputs, input{string(id), slices.Clone(text)}, openInputs)
	}
}

// delivered reads the delivery of a message of the user, which begins a run or joins it.
func (t *session) delivered(p *fastjson.Value, _ []byte) {
	id := dialect.FirstText(p, "inboxID", "inputID")
	i := slices.IndexFunc(t.inputs, func(x input) bool { return x.id == string(id) })
	if i < 0 {
		return
	}
	text := t.inputs[i].text
	t.inputs = slices.Delete(t.inputs, i, i+1)
	t.begin()
	t.conv.UserMessage(text)
}

// prompted is delivered for version 1.18, whose event has the text.
func (t *session) prompted(p *fastjson.Value, _ []byte) {
	if text := p.GetStringBytes("prompt", "text"); len(text) > 0 && !t.note(p.GetStringBytes("messageID")) {
		t.begin()
		t.conv.UserMessage(text)
	}
}

// begin begins a run if none is in progress. Its first step names the agent.
func (t *session) begin() {
	if t.conv.Run() == nil {
		t.conv.Agent = ""
	}
	t.inRun()
}

func (t *session) executionFailed(p *fastjson.Value, _ []byte) {
	t.inRun()
	t.failed(p.Get("error"))
	t.idle(nil, nil)
}

// interrupted reads the end of a run by the user. A run that is interrupted since the server stops
// goes on when it starts again.
func (t *session) interrupted(p *fastjson.Value, _ []byte) {
	reason := p.GetStringBytes("reason")
	if t.conv.Run() == nil || string(reason) == "shutdown" {
		return
	}
	t.failure = failure{schema.StatusCancelled, dialect.Short(reason), t.Frame.At}
	t.idle(nil, nil)
}

// started reads the start of a step, which is a call of the model.
func (t *session) started(p *fastjson.Value, _ []byte) {
	t.speaks(p.GetStringBytes("agent"), p.GetStringBytes("model", "id"), p.GetStringBytes("model", "providerID"))
	t.openCall(p.GetStringBytes("assistantMessageID"))
}

// ended reads the end of a step, with the tokens of its call. A step that ends twice counts once.
func (t *session) ended(p *fastjson.Value, raw []byte) {
	if t.conv.Call() == nil && t.seen.Has(p.GetStringBytes("assistantMessageID")) {
		return
	}
	t.closeCall(p.GetStringBytes("assistantMessageID"), p.GetStringBytes("finish"), raw, schema.StatusOK)
}

// stepFailed reads the failure of a step. Another step may follow.
func (t *session) stepFailed(p *fastjson.Value, raw []byte) {
	t.inRun()
	t.failed(p.Get("error"))
	t.closeCall(p.GetStringBytes("assistantMessageID"), nil, raw, schema.StatusError)
}

// retried reads that the call of a step failed and is made again, as a step that starts anew.
func (t *session) retried(p *fastjson.Value, raw []byte) {
	t.endCall(schema.StatusError)
	if why := p.GetStringBytes("error", "message"); len(why) > 0 {
		t.conv.Say(schema.MessageError, why).Attributes = dialect.Attribute("attempt", dialect.RawMember(raw, "attempt"))
	}
}
