package interactions

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// forget releases the state of the previous interaction.
func (d *decoder) forget() {
	d.Reset()
	d.Agent, d.begun, d.ended = "", false, false
	d.attrs, d.steps, d.call, d.usage = d.attrs[:0], nil, nil, nil
}

// asks begins a run with a call of a model.
func (d *decoder) asks() {
	d.forget()
	d.OpenRun("")
	d.call = d.OpenCall()
}

// atEnd begins a run without a start if none is in progress.
func (d *decoder) atEnd() {
	if d.Run() == nil {
		d.forget()
		d.RunAtEnd()
		d.NameRun(d.viewed)
	}
}

// answered begins an answer if none has begun.
func (d *decoder) answered() {
	if d.Run() == nil {
		d.asks() // the request was not seen, or reads an existing interaction
		d.NameRun(d.viewed)
	}
	d.begun = true
}

// over reports whether the interaction has ended: the present event is delivered again.
func (d *decoder) over() bool { return d.ended && d.Run() == nil }

// learn takes the id, the model and the agent from an interaction.
func (d *decoder) learn(v *fastjson.Value) {
	if id := v.GetStringBytes("id"); len(id) > 0 && d.RunID == "" {
		d.NameRun(d.id.Own(id))
	}
	d.CorrectModel(modelOf(v), provider, d.Run(), d.Call())
	d.takeAgent(v)
	if len(d.attrs) == 0 {
		d.notePrevious(v)
	}
}

// takeAgent takes the agent that is called in place of a model.
func (d *decoder) takeAgent(v *fastjson.Value) {
	if name := v.GetStringBytes("agent"); len(name) > 0 && d.Agent == "" {
		d.Agent = string(name)
		for _, s := range []*dialect.Span{d.Run(), d.Call()} {
			if s != nil {
				s.Agent = d.Agent
				d.Emitter.ChangedSpan(s, d.Frame)
			}
		}
	}
}

// notePrevious notes the interaction that this one continues.
func (d *decoder) notePrevious(v *fastjson.Value) {
	if id := v.GetStringBytes("previous_interaction_id"); len(id) > 0 {
		d.note("previous_interaction_id", id)
	}
}

// note adds an attribute of the run.
func (d *decoder) note(name string, value []byte) {
	d.attrs.AddText(name, string(value))
	d.Run().Attributes = d.attrs.Text()
	d.Emitter.ChangedSpan(d.Run(), d.Frame)
}

// created reads the first event of an interaction. An interaction in progress stays without an
// end.
func (d *decoder) created(in *dialect.Input) {
	v := in.JSON.Get("interaction")
	if d.over() && d.RunID != "" && string(v.GetStringBytes("id")) == d.RunID {
		return
	}
	if d.Run() != nil && d.begun {
		d.Leave()
	}
	d.answered()
	d.learn(v)
}

// statusUpdate names the interaction. Its last event states its final status.
func (d *decoder) statusUpdate(in *dialect.Input) {
	if d.over() {
		return
	}
	d.answered()
	if id := in.JSON.GetStringBytes("interaction_id"); len(id) > 0 && d.RunID == "" {
		d.NameRun(d.id.Own(id))
	}
}

// completed reads the last event of an interaction, with its usage and status. The event mostly
// leaves out the steps, which were streamed.
func (d *decoder) completed(in *dialect.Input) {
	v, raw := in.JSON.Get("interaction"), dialect.RawMember(in.Data, "interaction")
	if id := v.GetStringBytes("id"); d.over() && string(id) == d.RunID {
		d.count(raw) // after an error
		return
	}
	d.atEnd()
	d.learn(v)
	d.end(v, raw)
}

// whole reads an interaction that is not streamed. One with the status in_progress continues on
// the server: its run stays open, and a request that only reads it begins no run.
func (d *decoder) whole(v *fastjson.Value, raw []byte) {
	going := string(v.GetStringBytes("status")) == "in_progress"
	if going && d.Run() == nil {
		return
	}
	d.answered()
	d.learn(v)
	for _, name := range [...]string{"outputs", "steps"} {
		dialect.Elements(v.GetArray(name), dialect.RawMember(raw, name), 0, d.wholeStep)
	}
	if !going {
		d.end(v, raw)
	}
}

// end ends the run with the interaction's status.
func (d *decoder) end(v *fastjson.Value, raw []byte) {
	d.count(raw)
	status, reason := schema.StatusOK, v.GetStringBytes("status")
	var why []byte
	switch string(reason) {
	case "failed", "budget_exceeded":
		status, why = schema.StatusError, dialect.FirstNonEmpty(v.GetStringBytes("error", "message"), reason)
		d.Say(schema.MessageError, why)
	case "cancelled":
		status = schema.StatusCancelled
	}
	if len(reason) > 0 {
		d.note("stop_reason", reason)
	}
	d.EndRun(status, why)
	d.ended, d.steps = true, nil
}

// failed reads an error event, which ends the interaction.
func (d *decoder) failed(in *dialect.Input) {
	if !d.over() {
		d.fail(dialect.FirstText(in.JSON.Get("error"), "message", "code"), in.Data)
	}
}

// fail ends the interaction in an error. other is used if why is empty.
func (d *decoder) fail(why, other []byte) {
	d.atEnd()
	why = dialect.FirstNonEmpty(why, other)
	d.Fail(why, why)
	d.ended, d.steps = true, nil
}

// Leave implements model.API.
func (d *decoder) Leave() {
	d.Exchange.Leave()
	d.steps = nil
}
