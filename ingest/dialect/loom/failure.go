package loom

import (
	"strings"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// failed reads an error frame. With the id of a run it ends that run, as does a cancellation.
// Without an id it answers a request.
func (d *decoder) failed() {
	o := &d.outer
	text := failureText(o)
	l, r := d.failing(o.text(fID), text)
	if l != nil {
		d.use(l, d.Frame)
		r = l.run
	}
	if r != nil {
		d.Frame.Session, d.Frame.Run, d.Frame.Agent = r.Session, r.RunID, r.Agent
	}
	if l != nil {
		d.address(l, "")
	}
	if len(text) > 0 {
		d.failureSaid(l, r, text)
	}
	if r == nil {
		return
	}
	status := schema.StatusError
	if string(text) == "run cancelled" || r.cancelled && strings.Contains(dialect.Alias(text), "cancel") {
		status = schema.StatusCancelled
	}
	d.finish(r, status, text)
	if l != nil {
		l.ended()
	}
}

// failureSaid records the error's text.
func (d *decoder) failureSaid(l *lane, r *run, text []byte) {
	if r != nil {
		r.Say(schema.MessageError, text)
		return
	}
	m := d.Emitter.Say(schema.MessageError, d.ID("error"), text, d.Frame)
	m.Media = "text"
	if l != nil {
		m.Session, m.Run = l.session, l.key
	}
}

func failureText(o *object) []byte {
	for _, f := range []field{fError, fMessage} {
		if text := o.text(f); len(text) > 0 {
			return text
		}
	}
	if v := o.member[fError]; isThere(v) && !isString(v) {
		return v
	}
	return nil
}

// failing returns what an error is about: the lane of a run, a run that was never answered, or
// neither.
func (d *decoder) failing(id, text []byte) (*lane, *run) {
	if len(id) > 0 {
		if l := d.find(id, true); l != nil {
			return l, nil
		}
		if d.requests.answered(id) {
			return nil, nil
		}
		if len(d.requests.runs) > 0 || strings.HasPrefix(dialect.Alias(id), "run-") {
			l := d.wrappedLane(id, nil)
			if l.run == nil && !l.over {
				l.run = d.openRun(l.session, l.key, nil)
				l.run.Run().Started = 0 // only its end was seen
			}
			return l, nil
		}
		return nil, nil
	}
	refused := strings.HasPrefix(dialect.Alias(text), "parse error")
	if refused && d.requests.unreadable > 0 {
		d.requests.unreadable--
		return nil, nil
	}
	if _, n := d.running(true); n == 0 {
		if q := d.requests.answer(nil); q != nil {
			return nil, d.runFor(q)
		}
	}
	if refused {
		return nil, nil
	}
	l, _ := d.running(false)
	return l, nil
}
