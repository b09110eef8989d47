package agui

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// head reads the head of a request or of its answer.
func (d *decoder) head(in *dialect.Input, head *dialect.Head) {
	if in.Direction == schema.Send {
		d.refusal.Answer(0)
		return
	}
	if d.refusal.Answer(head.Status) && d.Run() != nil {
		d.endRun(in, schema.StatusError, d.refusal.Text())
	}
}

// refused reads a piece of the body of an error answer.
func (d *decoder) refused(body []byte) {
	if d.run.span == nil {
		d.inRun()
		d.EndRun(schema.StatusError, nil)
	}
	d.refusal.Body(&d.Conversation, d.run.span, body)
}

// request reads a RunAgentInput, which begins the run.
func (d *decoder) request(in *dialect.Input) {
	thread, run := in.JSON.GetStringBytes("threadId"), in.JSON.GetStringBytes("runId")
	if len(thread) == 0 && len(run) == 0 {
		d.Unknown()
		return
	}
	in.Type = "RunAgentInput"
	if len(thread) == 0 {
		return // RUN_STARTED names the session
	}
	d.endHistory()
	d.abandonRun() // under its own session
	d.Session = d.session.Own(thread)
	d.beginRun(run)
	d.run.asked = true
	d.history.versioned = len(in.JSON.GetStringBytes("protocolVersion")) > 0
	d.lineage(in.JSON.GetStringBytes("parentRunId"))
	d.input(in.Data)
}

// input reads a run's input: its new messages, and the id of the last one.
func (d *decoder) input(input []byte) {
	if resume := dialect.RawMember(input, "resume"); len(resume) > 2 && resume[0] == '[' {
		d.attach("resume", resume)
		d.noteRun()
	}
	var fresh [][]byte
	dialect.RawElements(dialect.RawMember(input, "messages"), func(m []byte) bool {
		d.run.last = string(dialect.RawText(m, "id"))
		switch string(dialect.RawText(m, "role")) {
		case "assistant":
			fresh = nil
		case "user", "tool":
			fresh = append(fresh, m)
		}
		return true
	})
	for _, m := range fresh {
		if id := dialect.RawText(m, "toolCallId"); len(id) > 0 {
			d.result(id, m)
			continue
		}
		content := dialect.RawMember(m, "content")
		if text := dialect.RawWords(content); len(text) > 0 {
			d.UserMessage(text).Attributes = dialect.Attribute("parts", dialect.OtherParts(content))
		}
	}
}

// snapshot reads MESSAGES_SNAPSHOT: the whole conversation, most of which is known. Results end
// calls that are still open. In a run that streams nothing the snapshot also has the agent's
// messages: the messages after the run's input, if the input is known.
func (d *decoder) snapshot(in *dialect.Input) {
	after, quiet := false, !d.run.spoke && d.run.last != ""
	dialect.RawElements(dialect.RawMember(in.Data, "messages"), func(m []byte) bool {
		switch role := string(dialect.RawText(m, "role")); {
		case role == "tool":
			if id := dialect.RawText(m, "toolCallId"); d.OpenTool(id) != nil {
				d.result(id, m)
			}
		case after && quiet && role == "assistant":
			d.wholeMessage(schema.MessageAssistant, m)
			d.wholeCalls(dialect.RawMember(m, "toolCalls"))
		case after && quiet && role == "reasoning":
			d.wholeMessage(schema.MessageThinking, m)
		}
		after = after || d.run.last != "" && string(dialect.RawText(m, "id")) == d.run.last
		return true
	})
}

// wholeMessage reads a message that was not streamed.
func (d *decoder) wholeMessage(kind schema.MessageKind, m []byte) {
	if text := dialect.RawWords(dialect.RawMember(m, "content")); len(text) > 0 {
		d.inRun()
		d.Say(kind, text).Span = d.here().ID
		d.run.spoke = true
	}
}

// wholeCalls reads calls that were not streamed. Their start is not known.
func (d *decoder) wholeCalls(list []byte) {
	dialect.RawElements(list, func(one []byte) bool {
		id, function := dialect.RawText(one, "id"), dialect.RawMember(one, "function")
		if len(id) == 0 || d.OpenTool(id) != nil || d.Ended(id) {
			return true
		}
		tool := d.call(id, dialect.RawText(function, "name"))
		tool.Span.Started = 0
		d.SetArguments(tool, dialect.RawText(function, "arguments"))
		tool.Ready = true
		d.run.spoke = true
		return true
	})
}
