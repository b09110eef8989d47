package agui

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// role is the kind of a message in progress that is not the assistant's.
type role struct {
	id   string
	kind schema.MessageKind
}

// roleLimit bounds the roles that are kept.
const roleLimit = 32

// kindOf returns the kind of the message with an id.
func (d *decoder) kindOf(id []byte) schema.MessageKind {
	for _, r := range d.run.roles {
		if r.id == string(id) {
			return r.kind
		}
	}
	return schema.MessageAssistant
}

// setRole keeps the role of a message that begins.
func (d *decoder) setRole(id []byte, name string) {
	d.run.roles = slices.DeleteFunc(d.run.roles, func(r role) bool { return r.id == string(id) })
	var kind schema.MessageKind
	switch name {
	case "user":
		kind = schema.MessageUser
	case "system", "developer":
		kind = schema.MessageSystem
	case "reasoning":
		kind = schema.MessageThinking
	default:
		return
	}
	if len(d.run.roles) < roleLimit {
		d.run.roles = append(d.run.roles, role{string(id), kind})
	}
}

// textStart reads TEXT_MESSAGE_START. The message begins with its first text, as some agents open
// messages without text for their tool calls.
func (d *decoder) textStart(in *dialect.Input) {
	id := in.JSON.GetStringBytes("messageId")
	if len(id) > 0 {
		d.inRun()
	}
	d.complete(id)
	d.setRole(id, string(in.JSON.GetStringBytes("role")))
}

func (d *decoder) textContent(in *dialect.Input) {
	id := in.JSON.GetStringBytes("messageId")
	d.say(d.kindOf(id), id, in.JSON.GetStringBytes("delta"))
}

func (d *decoder) textEnd(in *dialect.Input) { d.complete(in.JSON.GetStringBytes("messageId")) }

func (d *decoder) thinkingContent(in *dialect.Input) {
	d.say(schema.MessageThinking, in.JSON.GetStringBytes("messageId"), in.JSON.GetStringBytes("delta"))
}

func (d *decoder) thinkingEnd(in *dialect.Input) {
	d.Complete(schema.MessageThinking, in.JSON.GetStringBytes("messageId"))
}

// complete ends a text message. A message of the user may set the session's title.
func (d *decoder) complete(id []byte) {
	kind := d.kindOf(id)
	if kind == schema.MessageUser {
		if m := d.Growing(kind, id); m != nil {
			d.Emitter.SetTitle(d.Session, m.TextSoFar())
		}
	}
	d.Complete(kind, id)
	d.setRole(id, "")
}

// say adds to a message.
func (d *decoder) say(kind schema.MessageKind, id, delta []byte) {
	if len(delta) == 0 {
		return
	}
	d.inRun()
	if d.Growing(kind, id) == nil {
		m := d.BeginText(kind, id)
		if kind == schema.MessageAssistant || kind == schema.MessageThinking {
			m.Span = d.here().ID
		}
	}
	d.Append(kind, id, delta)
	if kind == schema.MessageAssistant || kind == schema.MessageThinking {
		d.spoken()
	}
}

// spoken records the first output of the run. The protocol does not show calls of a model.
func (d *decoder) spoken() {
	d.run.spoke = true
	if run := d.inRun(); run.FirstToken == 0 && run.Started != 0 {
		run.FirstToken = d.Frame.At
		d.Emitter.ChangedSpan(run, d.Frame)
	}
}

// chunks is the state of chunk events: a chunk without an id continues the message or call of the
// previous chunk.
type chunks struct {
	typ string // the type of the previous chunk, "" for none
	id  []byte
}

// endChunks ends a message or call in chunks when an event of another type comes. typ is "" if
// another message or call begins.
func (d *decoder) endChunks(typ string) {
	c := &d.run.chunks
	if c.typ == "" || c.typ == typ || typ == rawEvent || typ == snapshotEvent {
		return
	}
	switch c.typ {
	case textChunk:
		d.complete(c.id)
	case thinkingChunk:
		d.Complete(schema.MessageThinking, c.id)
	case toolChunk:
		if tool := d.OpenTool(c.id); tool != nil {
			d.FinishArguments(tool)
		}
	}
	c.typ, c.id = "", c.id[:0]
}

// nextChunk sets the id of a chunk, and reports whether it begins a message or call. A chunk
// without an id continues the previous one.
func (d *decoder) nextChunk(typ string, id []byte) (begins bool) {
	c := &d.run.chunks
	if begins = len(id) > 0 && (c.typ != typ || string(c.id) != string(id)); begins {
		d.endChunks("")
		c.id = append(c.id[:0], id...)
	}
	return begins
}

// textChunk reads a chunk, which replaces a message's start, content and end events.
func (d *decoder) textChunk(in *dialect.Input) {
	c, id := &d.run.chunks, in.JSON.GetStringBytes("messageId")
	begins := d.nextChunk(in.Type, id)
	c.typ = in.Type
	kind := schema.MessageThinking
	if in.Type == textChunk {
		if begins {
			d.setRole(id, string(in.JSON.GetStringBytes("role")))
		}
		kind = d.kindOf(c.id)
	}
	d.say(kind, c.id, in.JSON.GetStringBytes("delta"))
}
