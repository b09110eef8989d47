package vercelui

import (
	"bytes"
	"fmt"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// head reads the head of a request or of its answer.
func (d *decoder) head(in *dialect.Input, head *dialect.Head) {
	if in.Direction == schema.Send {
		d.status, d.whole = 0, string(head.Method) == "GET"
		return
	}
	d.status = head.Status
	d.lines.seen = head.Field("x-vercel-ai-data-stream") != nil
	if d.status >= 400 && d.talk.Run() != nil {
		d.run.why = fmt.Appendf(nil, "HTTP %d", d.status)
		d.endRun(schema.StatusError, nil)
	}
}

// refused reads a piece of the body of an answer that is an error.
func (d *decoder) refused(body []byte) {
	r := &d.run
	if r.refusal == nil {
		if r.span == nil {
			d.inRun()
			d.endRun(schema.StatusError, nil)
		}
		r.refusal = d.talk.Say(schema.MessageError, nil)
		r.refusal.Span = r.span.ID
	}
	d.Emitter.Append(r.refusal, body, d.Frame)
	r.span.Error, r.span.Ended = dialect.Short(r.refusal.TextSoFar()), d.Frame.At
	d.Emitter.ChangedSpan(r.span, d.Frame)
}

// sent reads a request: the conversation's id, and what of its messages is new.
func (d *decoder) sent(in *dialect.Input) {
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
	if trigger := textOf(in.Data, "trigger"); len(trigger) > 0 {
		in.Type = dialect.Intern(trigger)
	}
	if id := textOf(in.Data, "id"); len(id) > 0 {
		d.talk.Session = string(id)
	}
	d.beginRun(nil)
	d.run.goesOn = last != nil && len(asked) == 0
	d.whole = !d.run.goesOn
	d.answered(last)
	for _, message := range asked {
		if text := wordsOf(message); len(text) > 0 {
			d.ask(text)
		}
	}
}

// askedLimit bounds the messages of a request that wait for the run's id.
const askedLimit = 64

// ask tells a new message of the user, to be given the run's id.
func (d *decoder) ask(text []byte) {
	m := d.talk.UserMessage(text)
	if len(d.run.asked) < askedLimit {
		d.run.asked = append(d.run.asked, m)
	}
}

// newest goes over a request's messages: the last of the assistant, and those
// of the user after it.
func newest(messages []byte) (last []byte, asked [][]byte, ok bool) {
	dialect.RawElements(messages, func(m []byte) bool {
		ok = true
		switch string(textOf(m, "role")) {
		case "assistant":
			last, asked = m, nil
		case "user":
			asked = append(asked, m)
		}
		return true
	})
	return last, asked, ok
}

// wordsOf is the text of a user's message: of its parts, or, before version 5,
// its content.
func wordsOf(message []byte) []byte {
	for _, name := range []string{"parts", "content"} {
		var words [][]byte
		value := dialect.RawMember(message, name)
		dialect.RawElements(value, func(part []byte) bool {
			if text := textOf(part, "text"); len(text) > 0 {
				words = append(words, text)
			}
			return true
		})
		if len(words) > 0 {
			return bytes.Join(words, []byte("\n"))
		}
		if text, _ := dialect.Unquote(value, nil); len(text) > 0 {
			return text
		}
	}
	return nil
}

// answered reads the results that a client adds to the message which asked for
// them: those of its last step.
func (d *decoder) answered(message []byte) {
	if message == nil {
		return
	}
	var parts [][]byte
	dialect.RawElements(dialect.RawMember(message, "parts"), func(part []byte) bool {
		if string(textOf(part, "type")) == "step-start" {
			parts = parts[:0]
			return true
		}
		parts = append(parts, part)
		return true
	})
	for _, part := range parts {
		typ := textOf(part, "type")
		name, isTool := bytes.CutPrefix(typ, []byte("tool-"))
		switch {
		case string(typ) == "tool-invocation":
			d.invoked(dialect.RawMember(part, "toolInvocation"))
		case string(typ) == "dynamic-tool":
			d.toolPart(part, textOf(part, "toolName"))
		case isTool:
			d.toolPart(part, name)
		}
	}
	if len(parts) == 0 {
		dialect.RawElements(dialect.RawMember(message, "toolInvocations"), func(one []byte) bool {
			d.invoked(one)
			return true
		})
	}
}

// toolPart reads what has become of a call (version 5).
func (d *decoder) toolPart(part, name []byte) {
	id := textOf(part, "toolCallId")
	if len(id) == 0 || dialect.RawTrue(dialect.RawMember(part, "providerExecuted")) {
		return
	}
	switch t := &d.talk; string(textOf(part, "state")) {
	case "output-available":
		raw := dialect.RawMember(part, "output")
		result, media := content(raw)
		status, why := judge(raw)
		t.ResultOf(id, name, result, media, status, why)
	case "output-error":
		why := textOf(part, "errorText")
		t.ResultOf(id, name, why, "text", schema.StatusError, why)
	case "output-denied":
		t.ResultOf(id, name, nil, "", schema.StatusRejected, textOf(dialect.RawMember(part, "approval"), "reason"))
	case "approval-responded":
		approval := dialect.RawMember(part, "approval")
		if !dialect.RawTrue(dialect.RawMember(approval, "approved")) {
			t.ResultOf(id, name, nil, "", schema.StatusRejected, textOf(approval, "reason"))
			return
		}
		if one := d.call(id, name, false); one != nil {
			one.ready = true // the server runs it now
		}
	}
}

// invoked reads a call with its result (version 4).
func (d *decoder) invoked(one []byte) {
	id := textOf(one, "toolCallId")
	if len(id) == 0 || string(textOf(one, "state")) != "result" {
		return
	}
	raw := dialect.RawMember(one, "result")
	result, media := content(raw)
	status, why := judge(raw)
	d.talk.ResultOf(id, textOf(one, "toolName"), result, media, status, why)
}
