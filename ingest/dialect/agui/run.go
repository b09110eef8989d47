package agui

import (
	"bytes"
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// running is what is known of the run in progress, or of the one that ended
// last.
type running struct {
	span  *dialect.Span
	asked bool // it began with its request, and the agent has not spoken so far
	child bool // the run that it comes from is noted
	attrs dialect.Attributes

	places  []place
	roles   []role
	chunks  chunks
	calls   []*call
	spoke   bool     // it has streamed a message or a call
	last    string   // id of the last message of its input
	counted [][]byte // usages that came in RAW events
	refusal *dialect.Message
}

// inRun gives the run in progress, and begins one where there is none.
func (d *decoder) inRun() *dialect.Span {
	if d.talk.Run() == nil {
		d.beginRun(nil)
	}
	return d.talk.Run()
}

func (d *decoder) beginRun(id []byte) {
	d.giveUp()
	d.run = running{}
	d.talk.RunID = d.id.Own(id)
	d.talk.Model, d.talk.Provider = "", ""
	d.run.span = d.talk.OpenRun("")
}

// giveUp says that no more will be heard of the run in progress.
func (d *decoder) giveUp() {
	if d.talk.Run() == nil {
		return
	}
	d.countRaw()
	d.endPlaces(schema.StatusUnclosed)
	d.talk.Abandon()
	if d.talk.RunID == "" {
		return
	}
	if len(d.gone) >= goneLimit {
		d.gone = slices.Delete(d.gone, 0, 1)
	}
	d.gone = append(d.gone, gone{d.talk.RunID, d.run.span})
}

// started reads RUN_STARTED. A run that names the one in progress as its parent
// is begun inside of it; any other follows it.
func (d *decoder) started(in *dialect.Input) {
	v := in.JSON
	id, parent := v.GetStringBytes("runId"), v.GetStringBytes("parentRunId")
	input := dialect.RawMember(in.Data, "input")
	if d.run.asked && d.talk.Run() != nil {
		d.run.asked = false
		if d.talk.RunID == "" {
			d.talk.NameRun(d.id.Own(id))
		}
		d.lineage(parent)
		return
	}
	if d.talk.Run() != nil && len(parent) > 0 && string(parent) == d.talk.RunID && len(d.outer) < levelLimit {
		below := d.run.span
		d.push()
		d.talk.Session = below.Session
		if thread := v.GetStringBytes("threadId"); len(thread) > 0 {
			d.talk.Session = d.session.Own(thread)
		}
		d.beginRun(id)
		if below.Session == d.talk.Session {
			d.run.span.Parent = below.ID
		}
	} else {
		d.giveUp() // under its own session
		if thread := v.GetStringBytes("threadId"); len(thread) > 0 {
			d.talk.Session = d.session.Own(thread)
		}
		d.beginRun(id)
	}
	d.lineage(parent)
	if len(input) > 0 && input[0] == '{' {
		d.asked(input)
	}
}

// lineage notes the run that this one comes from.
func (d *decoder) lineage(parent []byte) {
	if len(parent) > 0 && !d.run.child {
		d.run.child = true
		d.run.attrs.AddText("parent_run_id", string(parent))
		d.noted()
	}
}

// attachLimit bounds a value that is kept with a run, bytes.
const attachLimit = 16 << 10

// attach keeps a value with the run as it stood.
func (d *decoder) attach(name string, value []byte) {
	if len(value) <= attachLimit {
		d.run.attrs.AddRaw(name, value)
	}
}

func (d *decoder) noted() {
	d.run.span.Attributes = d.run.attrs.Text()
	d.Emitter.ChangedSpan(d.run.span, d.Frame)
}

// push begins a level inside of the present one.
func (d *decoder) push() {
	d.outer = append(d.outer, d.level)
	d.level = &level{talk: model.Conversation{Stream: &d.Stream}}
}

// pop goes back to the level outside, if there is one.
func (d *decoder) pop() bool {
	n := len(d.outer) - 1
	if n < 0 {
		return false
	}
	d.level, d.outer = d.outer[n], d.outer[:n]
	return true
}

// content gives a value as the text of a message: a string as text, all else as
// the JSON that it is.
func content(raw []byte) (text []byte, media string) {
	if text, _ = dialect.Unquote(raw, nil); text != nil {
		return text, "text"
	}
	return bytes.TrimSpace(raw), "json"
}

// textOf gives a text among an object's members.
func textOf(object []byte, name string) []byte {
	text, _ := dialect.Unquote(dialect.RawMember(object, name), nil)
	return text
}
