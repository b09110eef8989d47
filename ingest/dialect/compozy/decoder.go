package compozy

import (
	"strconv"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
)

// decoder reads one stream: mostly one execution, or several one after the other.
type decoder struct {
	model.Conversation
	stream   model.Stream
	request  request
	sequence sequence
	run      run
	plain    bool   // the latest chunk was a plain line
	line     []byte // scratch

	execID, taskID, agentID, eventID, typ dialect.Last
}

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.Stream = &d.stream
	return d
}

// Decode implements dialect.Decoder.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	d.Begin(in, b)
	defer d.Done()
	if head, ok := dialect.HeadOf(in); ok {
		d.head(&head, in)
		return
	}
	if len(in.Data) == 0 && in.Event == "" {
		in.EventID = d.eventID.Own([]byte(in.ID))
		return
	}
	if d.answer(in) {
		return
	}
	e, name, known := read(in)
	id := in.ID
	if id == "" {
		id = dialect.Alias(e.id)
	}
	if known {
		d.take(&e, id)
		name = e.name
	} else {
		d.Unknown()
		name = d.typ.Own([]byte(name))
	}
	d.Address()
	in.Type, in.EventID = name, d.eventID.Own([]byte(id))
}

// take records facts from an event.
func (d *decoder) take(e *event, id string) {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		n = 0 // the id does not count events
	}
	hash := e.hash(n)
	again := d.sequence.knows(hash, n)
	d.belongs(e, n, again)
	again = d.sequence.knows(hash, n)
	d.sequence.count(d, e, hash, n, again)
	if again {
		return
	}
	d.names(e)
	if !e.isObject() && !e.texts {
		d.Unknown()
		return
	}
	e.read(d, e)
}

// names sets the task and the agent that an event names.
func (d *decoder) names(e *event) {
	if !e.isObject() {
		return
	}
	if text := e.text("task_id"); len(text) > 0 {
		d.Node = d.taskID.Own(text)
	}
	if text := e.text("agent_id"); len(text) > 0 {
		d.Agent = d.agentID.Own(text)
	}
	if text := e.text("workflow_exec_id"); len(text) > 0 && d.run.workflow != string(text) {
		d.run.workflow = dialect.Short(text)
	}
}

// End implements dialect.Decoder. The server may cut a stream after ten minutes without an end.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.stream.End(at, b)
	d.leave()
	d.Done()
}
