package agui

import (
	"bytes"
	"fmt"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// head reads the head of a request or of its answer.
func (d *decoder) head(in *dialect.Input, head *dialect.Head) {
	if in.Direction == schema.Send {
		d.status = 0
		return
	}
	if d.status = head.Status; d.status >= 400 && d.talk.Run() != nil {
		d.endRun(in, schema.StatusError, fmt.Appendf(nil, "HTTP %d", d.status))
	}
}

// refused reads a piece of the body of an answer that is an error.
func (d *decoder) refused(body []byte) {
	r := &d.run
	if r.refusal == nil {
		if r.span == nil {
			d.inRun()
			d.talk.EndRun(schema.StatusError, nil)
		}
		r.refusal = d.talk.Say(schema.MessageError, nil)
		r.refusal.Span = r.span.ID
	}
	d.Emitter.Append(r.refusal, body, d.Frame)
	r.span.Error, r.span.Ended = dialect.Short(r.refusal.TextSoFar()), d.Frame.At
	d.Emitter.ChangedSpan(r.span, d.Frame)
}

// sent reads a request: a RunAgentInput. The run begins with it.
func (d *decoder) sent(in *dialect.Input) {
	thread, run := in.JSON.GetStringBytes("threadId"), in.JSON.GetStringBytes("runId")
	if len(thread) == 0 && len(run) == 0 {
		d.Unknown()
		return
	}
	in.Type = "RunAgentInput"
	if len(thread) == 0 {
		return // the session shows with RUN_STARTED
	}
	d.giveUp() // under its own session
	d.talk.Session = d.session.Own(thread)
	d.beginRun(run)
	d.run.asked = true
	d.lineage(in.JSON.GetStringBytes("parentRunId"))
	d.asked(in.Data)
}

// asked reads a run's input: what is new of its messages, and which is the last.
func (d *decoder) asked(input []byte) {
	if resume := dialect.RawMember(input, "resume"); len(resume) > 2 && resume[0] == '[' {
		d.attach("resume", resume)
		d.noted()
	}
	var news [][]byte
	dialect.RawElements(dialect.RawMember(input, "messages"), func(m []byte) bool {
		d.run.last = string(textOf(m, "id"))
		switch string(textOf(m, "role")) {
		case "assistant":
			news = nil
		case "user", "tool":
			news = append(news, m)
		}
		return true
	})
	for _, m := range news {
		if id := textOf(m, "toolCallId"); len(id) > 0 {
			d.answered(id, dialect.RawMember(m, "content"), textOf(m, "error"))
			continue
		}
		if text := wordsOf(dialect.RawMember(m, "content")); len(text) > 0 {
			d.talk.UserMessage(text)
		}
	}
}

// wordsOf is the text of a user's message, or of its parts.
func wordsOf(value []byte) []byte {
	if text, _ := dialect.Unquote(value, nil); text != nil {
		return text
	}
	var words [][]byte
	dialect.RawElements(value, func(part []byte) bool {
		if text := textOf(part, "text"); len(text) > 0 {
			words = append(words, text)
		}
		return true
	})
	return bytes.Join(words, []byte("\n"))
}
