package anthropicagent

import (
	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// envelope reads a JSON envelope.
func (d *decoder) envelope(in *dialect.Input) {
	v := in.JSON
	typ := v.GetStringBytes("type")
	in.Type = dialect.Intern(typ)
	a := d.agent(v.GetStringBytes("agent"))
	delta, final := v.GetStringBytes("delta"), v.GetBool("final")
	id, name := v.GetStringBytes("id"), v.GetStringBytes("name")
	known := true
	switch string(typ) {
	case "text":
		d.text(a, schema.MessageAssistant, delta, final)
	case "thinking":
		d.text(a, schema.MessageThinking, delta, final)
	case "tool_call":
		d.call(a, id, name, delta, final, false)
	case "server_tool_call":
		d.call(a, id, name, delta, final, true)
	case "tool_result", "server_tool_result":
		d.result(a, id, name, delta, string(typ) == "server_tool_result")
		if final {
			d.resultEnd(a, id, v.GetStringBytes("envelope_log"))
		}
	case "tool_result_image":
		a.image(id, v.GetStringBytes("src"), v.GetStringBytes("media_type"))
	case "citation":
		known = d.citation(a, in, delta)
	case "meta_init", "meta_final", "meta_files", "meta_todo", "meta_end_turn_validation",
		"awaiting_frontend_tools", "rollback", "error", "aborted":
		known = d.piece(a, in.Type, delta, final)
	default:
		known = false
	}
	if !known {
		d.Unknown()
	}
	a.Address()
}

// payload is JSON that comes in pieces, of one agent and type.
type payload struct {
	agent *agent
	typ   string
	text  []byte
	at    int64 // when its first piece came, ns
}

// Bounds of what is put together from pieces.
const (
	payloadLimit = 16 << 20 // bytes, of all
	payloads     = 32       // at a time
)

// piece adds to a payload, and reads it when it is whole. It reports whether it
// could be read so far.
func (d *decoder) piece(a *agent, typ string, delta []byte, final bool) bool {
	i := 0
	for i < len(d.blocks) && (d.blocks[i].agent != a || d.blocks[i].typ != typ) {
		i++
	}
	if i == len(d.blocks) {
		if final {
			return d.payload(a, typ, delta)
		}
		if i >= payloads {
			return false
		}
		d.blocks = append(d.blocks, payload{agent: a, typ: typ, at: d.Frame.At})
	}
	held := len(delta)
	for _, b := range d.blocks {
		held += len(b.text)
	}
	b := &d.blocks[i]
	if held > payloadLimit {
		b.text = nil // too long: it will not read as JSON
	} else {
		b.text = append(b.text, delta...)
	}
	if !final {
		return true
	}
	text := b.text
	d.since = b.at
	defer func() { d.since = 0 }()
	d.blocks = append(d.blocks[:i], d.blocks[i+1:]...)
	if len(d.blocks) == 0 {
		d.blocks = nil
	}
	return d.payload(a, typ, text)
}

// payload reads what an envelope or a tag holds: JSON as text.
func (d *decoder) payload(a *agent, typ string, text []byte) bool {
	if typ == "error" {
		d.failed(a, text)
		return true
	}
	if !wellformed.JSON(text) {
		if typ == "meta_final" {
			a.end(schema.StatusOK, nil) // it ends the run all the same
			d.over = d.over || a == d.root
		}
		return false
	}
	switch typ {
	case "meta_init":
		return d.metaInit(a, text)
	case "meta_final":
		d.metaFinal(a, text)
	case "meta_files":
		a.note("files", dialect.RawMember(text, "files"))
		a.noted()
	case "meta_todo":
		a.note("todo", text)
		a.noted()
	case "meta_end_turn_validation":
		a.note("end_turn_validation", text)
		a.noted()
	case "awaiting_frontend_tools":
		d.awaiting(a, text)
	case "rollback":
		d.rollback(a, text)
	case "aborted":
		d.endBelow(a, schema.StatusCancelled)
		a.note("aborted", text)
		a.end(schema.StatusCancelled, nil)
		d.over = d.over || a == d.root
	}
	return true
}
