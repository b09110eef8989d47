package agui

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// snapshot reads MESSAGES_SNAPSHOT: the whole conversation, most of which is
// not new. Results end calls that are still open. Of a run that streams nothing
// it also tells what the agent said: what comes after the run's input, where
// that is known.
func (d *decoder) snapshot(messages []byte) {
	after, quiet := false, !d.run.spoke && d.run.last != ""
	dialect.RawElements(messages, func(m []byte) bool {
		switch role := string(textOf(m, "role")); {
		case role == "tool":
			if id := textOf(m, "toolCallId"); d.talk.OpenTool(id) != nil {
				d.answered(id, dialect.RawMember(m, "content"), textOf(m, "error"))
			}
		case after && quiet && role == "assistant":
			d.told(schema.MessageAssistant, m)
			d.toldCalls(dialect.RawMember(m, "toolCalls"))
		case after && quiet && role == "reasoning":
			d.told(schema.MessageThinking, m)
		}
		after = after || d.run.last != "" && string(textOf(m, "id")) == d.run.last
		return true
	})
}

// told tells a message that was not streamed.
func (d *decoder) told(kind schema.MessageKind, m []byte) {
	if text := textOf(m, "content"); len(text) > 0 {
		d.inRun()
		d.talk.Say(kind, text).Span = d.here().ID
		d.run.spoke = true
	}
}

// toldCalls tells calls that were not streamed. When they were begun is not
// known.
func (d *decoder) toldCalls(list []byte) {
	dialect.RawElements(list, func(one []byte) bool {
		id := textOf(one, "id")
		if len(id) == 0 || d.talk.OpenTool(id) != nil || d.talk.Ended(id) {
			return true
		}
		c := d.begin(id, textOf(dialect.RawMember(one, "function"), "name"))
		c.Span.Started = 0
		d.talk.SetArguments(c.Tool, textOf(dialect.RawMember(one, "function"), "arguments"))
		c.ready = true
		d.run.spoke = true
		return true
	})
}
