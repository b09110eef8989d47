package loom

import (
	"strconv"

	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// replied reads the reply line that ends a run. The command line tool may set the chat's session_id
// on it although the events have the run's session_id: the line still belongs to the run in
// progress.
func (d *decoder) replied() {
	d.reply(d.replyLane(d.outer.text(fSession)), &d.outer)
}

// replyLane returns the lane that a reply ends: the lane of its session if that is known, else the
// present lane, else the lane of the only run in progress.
func (d *decoder) replyLane(session []byte) *lane {
	if len(session) > 0 {
		l := d.find(session, false)
		if l != nil && (l.run != nil || l.over) || l == nil && d.remembers(session) {
			return d.laneOf(nil, session)
		}
	}
	if c := d.cur; c != nil && !c.wrapped && c.run != nil {
		return c
	}
	if l, n := d.running(false); n == 1 {
		return l
	}
	return d.laneOf(nil, session)
}

// runEnded reads a run_end, which ends a run on a WebSocket.
func (d *decoder) runEnded() {
	o := &d.outer
	id, session := o.text(fID), o.text(fSession)
	if len(id) == 0 {
		d.reply(d.replyLane(session), o)
		return
	}
	d.reply(d.wrappedLane(id, session), o)
}

// reply ends the run of a lane with the reply o.
func (d *decoder) reply(l *lane, o *object) {
	d.use(l, d.Frame)
	node := d.ownNode(l, o.text(fNode))
	id, counted := d.eventIDOf(o)
	if l.run == nil && l.over && (l.wrapped || counted && l.count.replied && id == l.count.reply) {
		d.address(l, node)
		return // a repeat
	}
	if counted {
		flags, lost := l.count.last(id)
		d.missed(l, flags, lost)
	}
	r := l.run
	if r == nil {
		r = d.openRun(l.session, d.runName(l, nil), nil)
		r.Run().Started = 0 // only its end was seen
		l.run = r
	}
	d.replyTexts(r, o, node)
	d.totals(r, o)
	status := schema.StatusOK
	if stop := o.text(fStopReason); len(stop) > 0 {
		r.attrs.AddText("stop_reason", string(stop))
		if string(stop) == "cancelled" {
			status = schema.StatusCancelled
		}
	}
	if session := o.text(fSession); len(session) > 0 && !l.wrapped && string(session) != l.session {
		r.attrs.AddText("reply_session_id", string(session))
	}
	d.finish(r, status, nil)
	d.address(l, node)
	l.ended()
}

// replyTexts records the reply, and the model's thinking unless that came in pieces before.
func (d *decoder) replyTexts(r *run, o *object, node string) {
	if text := o.text(fReply); len(text) > 0 {
		r.Say(schema.MessageReply, text).Node = node
	}
	thought := o.text(fReasoning)
	if len(thought) == 0 || r.thinking != nil && string(r.thinking.TextSoFar()) == string(thought) ||
		r.thoughts != nil && r.thoughts.Sum64() == xxhash.Sum64(thought) {
		return
	}
	r.Say(schema.MessageThinking, thought).Node = node
}

// bundle reads a whole run in one object: its events and its reply.
func (d *decoder) bundle() {
	d.Untimed = true
	dialect.RawElements(d.outer.member[fEvents], func(text []byte) bool {
		if d.inner.read(text) {
			d.embedded(text, nil)
		} else {
			d.Unknown()
		}
		d.inner.clear()
		d.part++
		d.Part(partOf(d.part))
		return true
	})
	o := &d.outer
	if d.inner.read(d.outer.member[fReply]) {
		o = &d.inner
		for _, f := range []field{fStopReason, fSession} {
			if d.outer.has(f) {
				o.put(f, d.outer.member[f])
			}
		}
	}
	if o.has(fReply) {
		d.reply(d.replyLane(o.text(fSession)), o)
	}
	d.inner.clear()
	d.Untimed, d.part = false, 0
}

func partOf(i int) string {
	if i == 0 {
		return ""
	}
	return "." + strconv.Itoa(i)
}
