package agui

import (
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/schema"
)

// role is a message in progress that is not the assistant's.
type role struct {
	id   string
	kind schema.MessageKind
}

// roleLimit bounds those that are remembered.
const roleLimit = 32

// kindOf says whose message has an id.
func (d *decoder) kindOf(id []byte) schema.MessageKind {
	for _, r := range d.run.roles {
		if r.id == string(id) {
			return r.kind
		}
	}
	return schema.MessageAssistant
}

// setRole remembers whose message it is that begins.
func (d *decoder) setRole(id []byte, name string) {
	d.run.roles = slices.DeleteFunc(d.run.roles, func(r role) bool { return r.id == string(id) })
	kind := schema.MessageAssistant
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

// text reads a text message. It begins with its first text: some are opened for
// the calls that they hold and say nothing.
func (d *decoder) text(k kind, v *fastjson.Value) {
	id := v.GetStringBytes("messageId")
	switch k {
	case textStart:
		if len(id) > 0 {
			d.inRun()
		}
		d.complete(id)
		d.setRole(id, string(v.GetStringBytes("role")))
	case textContent:
		d.say(d.kindOf(id), id, v.GetStringBytes("delta"))
	case textEnd:
		d.complete(id)
	}
}

// complete ends a text message. What a user said may name the session.
func (d *decoder) complete(id []byte) {
	kind := d.kindOf(id)
	if kind == schema.MessageUser {
		if m := d.talk.Growing(kind, id); m != nil {
			d.Emitter.SetTitle(d.talk.Session, m.TextSoFar())
		}
	}
	d.talk.Complete(kind, id)
	d.setRole(id, "")
}

// say adds to a message.
func (d *decoder) say(kind schema.MessageKind, id, delta []byte) {
	if len(delta) == 0 {
		return
	}
	d.inRun()
	if d.talk.Growing(kind, id) == nil {
		m := d.talk.BeginText(kind, id)
		if kind == schema.MessageAssistant || kind == schema.MessageThinking {
			m.Span = d.here().ID
		}
	}
	d.talk.Append(kind, id, delta)
	if kind == schema.MessageAssistant || kind == schema.MessageThinking {
		d.spoken()
	}
}

// spoken notes that a model has said something. Its calls do not show in the
// protocol: only when the run first gave something is known.
func (d *decoder) spoken() {
	d.run.spoke = true
	if run := d.inRun(); run.FirstToken == 0 && run.Started != 0 {
		run.FirstToken = d.Frame.At
		d.Emitter.ChangedSpan(run, d.Frame)
	}
}

// chunks are what events without an id of their own go on with: the message or
// call of the chunk before.
type chunks struct {
	kind kind // of the chunk before, 0 for none
	id   []byte
}

// chunksEnd ends what came in chunks once something else comes.
func (d *decoder) chunksEnd(next kind) {
	c := &d.run.chunks
	if c.kind == 0 || c.kind == next || next == raw || next == snapshot {
		return
	}
	switch c.kind {
	case textChunk:
		d.complete(c.id)
	case thinkingChunk:
		d.talk.Complete(schema.MessageThinking, c.id)
	case toolChunk:
		if one := d.callOf(c.id); one != nil {
			d.talk.FinishArguments(one.Tool)
		}
	}
	c.kind, c.id = 0, c.id[:0]
}

// textChunk reads a chunk, which stands for a message's start, content and end.
func (d *decoder) textChunk(k kind, v *fastjson.Value) {
	c := &d.run.chunks
	id := v.GetStringBytes("messageId")
	if len(id) > 0 && (c.kind != k || string(c.id) != string(id)) {
		d.chunksEnd(0)
		c.kind, c.id = k, append(c.id[:0], id...)
		if k == textChunk {
			d.setRole(id, string(v.GetStringBytes("role")))
		}
	}
	c.kind = k
	kind := schema.MessageThinking
	if k == textChunk {
		kind = d.kindOf(c.id)
	}
	d.say(kind, c.id, v.GetStringBytes("delta"))
}
