package agui

import (
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// owner is the sub-agent that opened a message.
type owner struct{ message, agent string }

// ownerLimit bounds the messages of sub-agents that are kept.
const ownerLimit = 64

// ownerOf returns the sub-agent that an event belongs to: the one that it names, or the owner of the
// message or call that it continues, which need not be named again. A call without an owner of its
// own belongs to the owner of the message that holds it.
func (d *decoder) ownerOf(typ string, v *fastjson.Value) []byte {
	call, message := v.GetStringBytes("toolCallId"), v.GetStringBytes("messageId")
	if c := &d.run.chunks; c.typ == typ && len(call)+len(message) == 0 {
		if call, message = nil, c.id; typ == toolChunk {
			call, message = c.id, nil
		}
	}
	tag := v.GetStringBytes("subagentRunId")
	if len(call) > 0 {
		if tool := d.OpenTool(call); len(tag) == 0 && tool != nil {
			return []byte(tool.Span.Node)
		}
		message = v.GetStringBytes("parentMessageId")
	} else if len(tag) > 0 || strings.HasSuffix(typ, "_START") {
		d.setOwner(message, tag)
	}
	if len(tag) == 0 {
		for _, o := range d.run.owners {
			if o.message == string(message) {
				return []byte(o.agent)
			}
		}
	}
	return tag
}

// setOwner keeps the owner of a message. Messages of the run itself are not kept.
func (d *decoder) setOwner(message, agent []byte) {
	if len(message) == 0 {
		return
	}
	i := slices.IndexFunc(d.run.owners, func(o owner) bool { return o.message == string(message) })
	switch {
	case i >= 0 && d.run.owners[i].agent == string(agent):
	case i >= 0 && len(agent) == 0:
		d.run.owners = slices.Delete(d.run.owners, i, i+1)
	case i >= 0:
		d.run.owners[i].agent = string(agent)
	case len(agent) > 0:
		d.run.owners = dialect.AppendRecent(d.run.owners, owner{string(message), string(agent)}, ownerLimit)
	}
}
