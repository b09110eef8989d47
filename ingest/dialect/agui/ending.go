package agui

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// gone is a run that was given up; its end may come all the same.
type gone struct {
	id   string
	span *dialect.Span
}

// goneLimit bounds those that are remembered.
const goneLimit = 8

// seek goes out to the run with an id, if it is one that the present run is
// inside of: those in between are given up.
func (d *decoder) seek(id []byte) {
	if len(id) == 0 || string(id) == d.talk.RunID {
		return
	}
	for i := len(d.outer) - 1; i >= 0; i-- {
		if d.outer[i].talk.RunID != string(id) {
			continue
		}
		for len(d.outer) > i {
			d.giveUp()
			d.pop()
		}
		return
	}
}

// finished reads RUN_FINISHED. It ends the run in progress, unless it names
// another; of a run that was not seen to begin only the end is known.
func (d *decoder) finished(in *dialect.Input) {
	v := in.JSON
	id := v.GetStringBytes("runId")
	d.seek(id)
	if d.late(id, in) {
		return
	}
	if d.talk.Run() == nil {
		if len(id) > 0 && string(id) == d.talk.RunID {
			return // once more
		}
		if thread := v.GetStringBytes("threadId"); len(thread) > 0 {
			d.talk.Session = d.session.Own(thread)
		}
		d.beginRun(id)
		d.run.span.Started = 0
	}
	if result := dialect.RawMember(in.Data, "result"); len(result) > 0 && string(result) != "null" {
		text, media := content(result)
		d.talk.Say(schema.MessageReply, text).Media = media
	}
	waits := string(v.GetStringBytes("outcome", "type")) == "interrupt"
	if waits {
		d.interrupted(dialect.RawPath(in.Data, "outcome.interrupts"))
	}
	d.wait()
	d.endRun(in, schema.StatusOK, nil)
	if waits {
		d.run.span.Status, d.run.span.Ended = schema.StatusWaiting, 0
	}
	d.left = true
}

// late reads the end of a run that was given up when another began: the frame
// is that run's, not the present one's.
func (d *decoder) late(id []byte, in *dialect.Input) bool {
	for i, g := range d.gone {
		if len(id) == 0 || g.id != string(id) {
			continue
		}
		d.gone = slices.Delete(d.gone, i, i+1)
		d.Emitter.CloseSpan(g.span, schema.StatusOK, d.Frame)
		d.usedBy(g, dialect.RawMember(in.Data, "usage"))
		d.of = &g
		return true
	}
	return false
}

// interrupted notes what a run waits for. A call that waits for an approval has
// not begun.
func (d *decoder) interrupted(interrupts []byte) {
	d.attach("interrupts", interrupts)
	dialect.RawElements(interrupts, func(one []byte) bool {
		id := textOf(one, "toolCallId")
		if c := d.callOf(id); c != nil {
			c.ready = true
			c.Span.Started = 0
			if len(c.Attrs) == 0 {
				c.Attrs.AddTime("approval_at", d.Frame.At)
			}
			d.talk.Noted(c.Tool)
		}
		return true
	})
}

// failed reads RUN_ERROR, which does not say of which run it is: of the one in
// progress, else of the one that ended last.
func (d *decoder) failed(in *dialect.Input) {
	why := in.JSON.GetStringBytes("message")
	if d.talk.Run() == nil && d.run.span != nil {
		d.failedLate(why)
		return
	}
	if d.talk.Run() == nil {
		d.beginRun(nil)
		d.run.span.Started = 0
	}
	if len(why) > 0 {
		d.talk.Say(schema.MessageError, why)
	}
	if code := in.JSON.GetStringBytes("code"); len(code) > 0 {
		d.run.attrs.AddText("code", dialect.Short(code))
	}
	d.endRun(in, schema.StatusError, why)
	d.left = true
}

// failedLate reads an error that comes after a run's end.
func (d *decoder) failedLate(why []byte) {
	span := d.run.span
	if span.Status == schema.StatusError {
		return // once more
	}
	if len(why) > 0 {
		d.talk.Say(schema.MessageError, why).Span = span.ID
	}
	span.Error = dialect.Short(why)
	d.Emitter.CloseSpan(span, schema.StatusError, d.Frame)
}

// endRun ends the run with its usage.
func (d *decoder) endRun(in *dialect.Input, status schema.Status, why []byte) {
	d.used(dialect.RawMember(in.Data, "usage"))
	d.endPlaces(status)
	d.run.span.Attributes = d.run.attrs.Text()
	d.talk.EndRun(status, why)
	d.run.calls, d.run.roles, d.run.chunks, d.run.attrs = nil, nil, chunks{}, nil
}
