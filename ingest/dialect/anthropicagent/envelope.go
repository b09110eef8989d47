package anthropicagent

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// envelope reads a JSON envelope.
func (d *decoder) envelope(in *dialect.Input) {
	v := in.JSON
	typ, known := envelopes.Of(v.GetStringBytes("type"))
	in.Type = typ.Name
	a := d.agent(v.GetStringBytes("agent"))
	e := envelope{
		Input: in, a: a, delta: v.GetStringBytes("delta"), final: v.GetBool("final"),
		id: v.GetStringBytes("id"), name: v.GetStringBytes("name"),
	}
	if !known || !typ.Handle(d, &e) {
		d.Unknown()
	}
	a.Address()
}

// envelope is the envelope in the present frame.
type envelope struct {
	*dialect.Input
	a               *agent
	delta, id, name []byte
	final           bool
}

// envelopes maps types of envelopes to handlers, which report whether they could read the
// envelope.
var envelopes = dialect.NewTypes(map[string]func(*decoder, *envelope) bool{
	"text":                     says(schema.MessageAssistant),
	"thinking":                 says(schema.MessageThinking),
	"tool_call":                calls(false),
	"server_tool_call":         calls(true),
	"tool_result":              returns(false),
	"server_tool_result":       returns(true),
	"tool_result_image":        (*decoder).imageEnvelope,
	"citation":                 (*decoder).citation,
	"meta_init":                (*decoder).piece,
	"meta_final":               (*decoder).piece,
	"meta_files":               (*decoder).piece,
	"meta_todo":                (*decoder).piece,
	"meta_end_turn_validation": (*decoder).piece,
	"awaiting_frontend_tools":  (*decoder).piece,
	"rollback":                 (*decoder).piece,
	"error":                    (*decoder).piece,
	"aborted":                  (*decoder).piece,
})

func says(kind schema.MessageKind) func(*decoder, *envelope) bool {
	return func(d *decoder, e *envelope) bool {
		d.text(e.a, kind, e.delta, e.final)
		return true
	}
}

func calls(server bool) func(*decoder, *envelope) bool {
	return func(d *decoder, e *envelope) bool {
		d.call(e.a, e.id, e.name, e.delta, e.final, server)
		return true
	}
}

func returns(server bool) func(*decoder, *envelope) bool {
	return func(d *decoder, e *envelope) bool {
		d.result(e.a, e.id, e.name, e.delta, server)
		if e.final {
			d.resultEnd(e.a, e.id, e.JSON.GetStringBytes("envelope_log"))
		}
		return true
	}
}

func (d *decoder) imageEnvelope(e *envelope) bool {
	e.a.image(e.id, e.JSON.GetStringBytes("src"), e.JSON.GetStringBytes("media_type"))
	return true
}

// payload is JSON of one agent and type that comes in pieces.
type payload struct {
	agent *agent
	typ   string
	text  []byte
	at    int64 // when the first piece came, ns
}

// Bounds of payloads.
const (
	payloadLimit = 16 << 20 // bytes of all payloads
	openPayloads = 32       // at a time
)

// openPayload returns the index of an agent's payload of a type, or the number of payloads if there
// is none.
func (d *decoder) openPayload(a *agent, typ string) int {
	i := 0
	for i < len(d.payloads) && (d.payloads[i].agent != a || d.payloads[i].typ != typ) {
		i++
	}
	return i
}

// piece adds to a payload and reads it once it is complete. It reports whether the payload could
// be read so far.
func (d *decoder) piece(e *envelope) bool {
	i := d.openPayload(e.a, e.Type)
	if i == len(d.payloads) {
		if e.final {
			return d.payload(e.a, e.Type, e.delta)
		}
		if i >= openPayloads {
			return false
		}
		d.payloads = append(d.payloads, payload{agent: e.a, typ: e.Type, at: d.Frame.At})
	}
	size := len(e.delta)
	for _, p := range d.payloads {
		size += len(p.text)
	}
	p := &d.payloads[i]
	if size > payloadLimit {
		p.text = nil // too long: it fails to parse later
	} else {
		p.text = append(p.text, e.delta...)
	}
	if !e.final {
		return true
	}
	whole := *p
	d.payloads = slices.Delete(d.payloads, i, i+1)
	if len(d.payloads) == 0 {
		d.payloads = nil
	}
	d.since = whole.at
	defer func() { d.since = 0 }()
	return d.payload(e.a, e.Type, whole.text)
}

// payload reads the content of an envelope or a tag: JSON as text. An error may be any text.
func (d *decoder) payload(a *agent, typ string, text []byte) bool {
	switch {
	case typ == "error":
		d.failed(a, text)
		return true
	case wellformed.JSON(text):
		return metas[typ](d, a, text)
	case typ == "meta_final":
		d.endAgent(a, schema.StatusOK) // it ends the run all the same
	}
	return false
}

// metas maps types of payloads to handlers. An init function fills it, as handlers may end a
// payload and look up its type.
var metas map[string]func(d *decoder, a *agent, text []byte) bool

func init() {
	metas = map[string]func(d *decoder, a *agent, text []byte) bool{
		"meta_init":                (*decoder).metaInit,
		"meta_final":               (*decoder).metaFinal,
		"meta_files":               (*decoder).metaFiles,
		"meta_todo":                notes("todo"),
		"meta_end_turn_validation": notes("end_turn_validation"),
		"awaiting_frontend_tools":  (*decoder).awaiting,
		"rollback":                 (*decoder).rollback,
		"aborted":                  (*decoder).aborted,
	}
}

// notes returns a handler that keeps a payload as an attribute of the run.
func notes(name string) func(*decoder, *agent, []byte) bool {
	return func(_ *decoder, a *agent, text []byte) bool {
		a.note(name, text)
		a.noted()
		return true
	}
}

func (d *decoder) metaFiles(a *agent, text []byte) bool {
	a.note("files", dialect.RawMember(text, "files"))
	a.noted()
	return true
}

func (d *decoder) aborted(a *agent, text []byte) bool {
	d.endBelow(a, schema.StatusCancelled)
	a.note("aborted", text)
	d.endAgent(a, schema.StatusCancelled)
	return true
}

// endAgent ends an agent's run. The end of root's run ends the connection's.
func (d *decoder) endAgent(a *agent, status schema.Status) {
	a.end(status, nil)
	d.over = d.over || a == d.root
}
