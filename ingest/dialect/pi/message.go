package pi

import (
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// roles maps the roles of messages to handlers.
var roles = dialect.NewTypes(map[string]func(*decoder, *line){
	"user":              (*decoder).user,
	"assistant":         (*decoder).assistant,
	"toolResult":        (*decoder).toolResult,
	"bashExecution":     (*decoder).userCommand,
	"custom":            (*decoder).system,
	"hookMessage":       (*decoder).system,
	"branchSummary":     func(d *decoder, l *line) { d.summary(l, "branch_summary") },
	"compactionSummary": func(d *decoder, l *line) { d.summary(l, "compacted") },
})

// message reads a whole message.
func (d *decoder) message(l *line) {
	role, known := roles.Of(l.text("role"))
	if !known {
		d.Unknown()
		return
	}
	role.Handle(d, l)
}

// user reads a message of the user. While pi works it is part of the run.
func (d *decoder) user(l *line) {
	d.inRun()
	d.tr.EndCall(schema.StatusOK)
	d.askedAt = l.v.GetUint64("timestamp")
	d.asks()
	if text := dialect.RawWords(dialect.RawMember(l.raw, "content")); len(text) > 0 {
		d.tr.UserMessage(text)
	}
}

// system reads a message that an extension adds to the conversation.
func (d *decoder) system(l *line) {
	if text := dialect.RawWords(dialect.RawMember(l.raw, "content")); len(text) > 0 {
		d.tr.Say(schema.MessageSystem, text)
	}
}

// userCommand reads a command that the user executed, and its output.
func (d *decoder) userCommand(l *line) {
	var attrs dialect.Attributes
	attrs.AddText("command", string(l.text("command")))
	if code := l.v.Get("exitCode"); dialect.IsNumber(code) {
		attrs.AddRaw("exit_code", dialect.RawMember(l.raw, "exitCode"))
	}
	d.tr.Say(schema.MessageSystem, l.text("output")).Attributes = attrs.Text()
}

// assistant reads a whole answer of the model.
func (d *decoder) assistant(l *line) {
	if d.tr.Call() == nil {
		if d.seen.HasHash(d.identity(l)) {
			d.Emitter.Mark(d.Frame, schema.FlagEventRepeat, 0)
			return
		}
		d.inRun()
		d.beginAnswer(l)
	}
	dialect.Elements(l.v.GetArray("content"), dialect.RawMember(l.raw, "content"), 0, func(i int, v *fastjson.Value, raw []byte) {
		key := strconv.AppendInt(nil, int64(i), 10)
		switch string(v.GetStringBytes("type")) {
		case "text":
			d.say(schema.MessageAssistant, i, key, v.GetStringBytes("text"))
		case "thinking":
			d.say(schema.MessageThinking, i, key, v.GetStringBytes("thinking"))
		case "toolCall":
			d.asksFor(v, raw)
		}
	})
	d.tr.CompleteAll()
	d.finish(l)
}

// finish ends the call of the model with its answer.
func (d *decoder) finish(l *line) {
	call := d.tr.Call()
	d.outcome = outcomeOf(l)
	var attrs dialect.Attributes
	if reason := l.text("stopReason"); len(reason) > 0 {
		attrs.AddText("stop_reason", string(reason))
	}
	usage := dialect.RawMember(l.raw, "usage")
	if cost := dialect.RawPath(usage, "cost.total"); !dialect.RawNull(cost) && l.v.GetFloat64("usage", "cost", "total") != 0 {
		attrs.AddRaw("cost", cost)
	}
	call.Attributes = attrs.Text()
	d.count(usage, d.identity(l), call)
	if why := d.outcome.why; d.outcome.status == schema.StatusError {
		call.Error = dialect.Short(why)
		d.tr.Say(schema.MessageError, why)
	}
	d.tr.EndCall(d.outcome.status)
}

// outcomeOf reads how an answer ended.
func outcomeOf(l *line) outcome {
	why := append([]byte(nil), l.text("errorMessage")...)
	switch string(l.text("stopReason")) {
	case "error":
		return outcome{schema.StatusError, why}
	case "aborted":
		return outcome{schema.StatusCancelled, why}
	}
	return outcome{schema.StatusOK, nil}
}

// extensionError reads an error of an extension, which does not end the run.
func (d *decoder) extensionError(l *line) {
	if why := l.text("error"); len(why) > 0 {
		d.tr.Say(schema.MessageError, why)
	}
}
