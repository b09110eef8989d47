package vercelui

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// head reads the head of a request or of its answer.
func (d *decoder) head(in *dialect.Input, head *dialect.Head) {
	if in.Direction == schema.Send {
		d.refusal.Answer(0)
		d.whole = string(head.Method) == "GET"
		return
	}
	d.lines.seen = head.Field("x-vercel-ai-data-stream") != nil
	if d.refusal.Answer(head.Status) && d.Run() != nil {
		d.run.why = d.refusal.Text()
		d.endRun(schema.StatusError, nil)
	}
}

// refused reads a piece of the body of an error answer.
func (d *decoder) refused(body []byte) {
	if d.run.span == nil {
		d.inRun()
		d.endRun(schema.StatusError, nil)
	}
	d.refusal.Body(&d.Conversation, d.run.span, body)
}

// request reads a request: the conversation's id and its new messages.
func (d *decoder) request(in *dialect.Input) {
	if in.JSON == nil {
		return
	}
	in.Type = "request"
	messages, one := dialect.RawMember(in.Data, "messages"), dialect.RawMember(in.Data, "message")
	last, asked, ok := newest(messages)
	if !ok && len(one) > 0 && one[0] == '{' {
		last, asked, ok = newest(bytes.Join([][]byte{{'['}, one, {']'}}, nil))
	}
	if !ok {
		d.Unknown()
		return
	}
	if trigger := dialect.RawText(in.Data, "trigger"); len(trigger) > 0 {
		in.Type = dialect.Intern(trigger)
	}
	if id := dialect.RawText(in.Data, "id"); len(id) > 0 {
		d.Session = string(id)
	}
	d.beginRun(nil)
	d.run.resumed = last != nil && len(asked) == 0
	d.whole = !d.run.resumed
	d.results(last)
	for _, message := range asked {
		if text := textOf(message); len(text) > 0 {
			d.AwaitID(d.UserMessage(text))
		}
	}
}

// newest returns the last message of the assistant in a request, and the messages of the user
// after it.
func newest(messages []byte) (last []byte, asked [][]byte, ok bool) {
	dialect.RawElements(messages, func(m []byte) bool {
		ok = true
		switch string(dialect.RawText(m, "role")) {
		case "assistant":
			last, asked = m, nil
		case "user":
			asked = append(asked, m)
		}
		return true
	})
	return last, asked, ok
}

// textOf returns the text of a user's message: of its parts, or of its content before version 5.
func textOf(message []byte) []byte {
	for _, name := range []string{"parts", "content"} {
		if text := dialect.RawWords(dialect.RawMember(message, name)); len(text) > 0 {
			return text
		}
	}
	return nil
}

// results reads the results that a client adds to the message with the calls: the results of its
// last step.
func (d *decoder) results(message []byte) {
	if message == nil {
		return
	}
	var step [][]byte
	dialect.RawElements(dialect.RawMember(message, "parts"), func(part []byte) bool {
		if string(dialect.RawText(part, "type")) == "step-start" {
			step = step[:0]
			return true
		}
		step = append(step, part)
		return true
	})
	for _, part := range step {
		typ := dialect.RawText(part, "type")
		name, isTool := bytes.CutPrefix(typ, []byte("tool-"))
		switch {
		case string(typ) == "tool-invocation":
			d.invocation(dialect.RawMember(part, "toolInvocation"))
		case string(typ) == "dynamic-tool":
			d.toolPart(part, dialect.RawText(part, "toolName"))
		case isTool:
			d.toolPart(part, name)
		}
	}
	if len(step) == 0 {
		dialect.RawElements(dialect.RawMember(message, "toolInvocations"), func(one []byte) bool {
			d.invocation(one)
			return true
		})
	}
}

// toolPart reads the state of a call (version 5).
func (d *decoder) toolPart(part, name []byte) {
	id := dialect.RawText(part, "toolCallId")
	if len(id) == 0 || dialect.RawTrue(dialect.RawMember(part, "providerExecuted")) {
		return
	}
	approval := dialect.RawMember(part, "approval")
	rejected := outcome{status: schema.StatusRejected, why: dialect.RawText(approval, "reason")}
	switch string(dialect.RawText(part, "state")) {
	case "output-available":
		d.resultOf(id, name, outputOf(dialect.RawMember(part, "output")))
	case "output-error":
		d.resultOf(id, name, failure(dialect.RawText(part, "errorText")))
	case "output-denied":
		d.resultOf(id, name, rejected)
	case "approval-responded":
		if !dialect.RawTrue(dialect.RawMember(approval, "approved")) {
			d.resultOf(id, name, rejected)
		} else if one := d.call(id, name, false); one != nil {
			one.Ready = true // the server executes it now
		}
	}
}

// invocation reads a call with its result (version 4).
func (d *decoder) invocation(one []byte) {
	id := dialect.RawText(one, "toolCallId")
	if len(id) > 0 && string(dialect.RawText(one, "state")) == "result" {
		d.resultOf(id, dialect.RawText(one, "toolName"), outputOf(dialect.RawMember(one, "result")))
	}
}

func (d *decoder) resultOf(id, name []byte, o outcome) {
	d.ResultOf(id, name, o.result, o.media, o.status, o.why)
}
