package custom

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// decoder applies a mapping to one stream.
type decoder struct {
	model.Stream
	mapping *Mapping
	// The runs that frames named, the latest last.
	runs                         []*conversation
	session, run, agent, eventID dialect.Last
	total                        string // the scope of running totals while no session is named
}

// conversation is the state of one run.
type conversation struct {
	model.Conversation
	named   bool // the present frame names the run
	ended   bool // a run ended, and no other has begun
	decoder *decoder
	counted *dialect.Span // the run of the latest usage
	last    *dialect.Usage
	reports []report
	stated  []statement // since the model was called
	// subagents are the sub-agents that have not been forgotten, the oldest first.
	subagents []*conversation
	sub       bool // it is a sub-agent: it has no run of its own
}

// openRuns bounds the concurrent runs of a stream.
const openRuns = 64

func newDecoder(m *Mapping) dialect.Decoder { return &decoder{mapping: m} }

// ReadsText implements dialect.TextReader: paths are read from the text.
func (d *decoder) ReadsText() bool { return true }

// Decode implements dialect.Decoder.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	if len(in.Data) == 0 || in.JSON == nil {
		in.Type = dialect.Intern([]byte(in.Event))
		return
	}
	if d.mapping.lasting {
		d.BeginLine(in, b, d.mapping.timeOf(in) != 0)
	} else {
		d.Begin(in, b)
	}
	defer d.Done()
	s := source{in: in}
	f := &d.mapping.fields
	in.Type = dialect.Intern(f.typ.text(&s))
	run := d.run.Own(f.run.text(&s))
	c := d.conversation(d.session.Own(f.session.text(&s)), run)
	c.named = run != ""
	span := c.Run()
	if d.mapping.subagents {
		if a := d.subagentOf(c, &s); a != nil {
			c, span = a, nil // the span below which it works is not its own
		}
	}
	if agent := f.agent.text(&s); len(agent) > 0 {
		c.Agent = d.agent.Own(agent)
	}
	c.CorrectModel(f.model.text(&s), string(f.provider.text(&s)), c.Call(), span)
	if !d.apply(c, &s) && in.Direction == schema.Receive && string(in.Data) != dialect.DoneMarker {
		d.Unknown()
	}
	c.Address()
	in.EventID = d.eventID.Own(f.eventID.text(&s))
	if in.EventID == "" {
		in.EventID = in.ID
	}
}

// apply applies the rules whose conditions hold. It reports whether any did.
func (d *decoder) apply(c *conversation, s *source) (known bool) {
	for i := range d.mapping.rules {
		r := &d.mapping.rules[i]
		if !r.applies(s.in) {
			continue
		}
		if r.each == nil {
			if r.when.hold(s) {
				known = true
				r.apply(c, s)
			}
			continue
		}
		r.each.each(s, func(key, element []byte) {
			inner := source{in: s.in, element: element, key: key}
			if r.when.hold(&inner) {
				known = true
				r.apply(c, &inner)
			}
		})
	}
	return known
}

// conversation returns the conversation of a frame. A frame that names no session or no run
// belongs to the latest one.
func (d *decoder) conversation(session, run string) *conversation {
	if session == "" && len(d.runs) > 0 {
		session = d.runs[len(d.runs)-1].Session
	}
	found := -1
	for i, c := range d.runs {
		if c.Session != session {
			continue
		}
		if run == "" || c.RunID == run {
			found = i
		}
	}
	if found < 0 && run != "" { // the run's id came after its first frames
		found = slices.IndexFunc(d.runs, func(c *conversation) bool { return c.Session == session && c.RunID == "" && !c.ended })
		if found >= 0 {
			d.runs[found].NameRun(run)
		}
	}
	if found < 0 {
		if len(d.runs) == openRuns {
			d.runs[0].leave()
			d.runs = slices.Delete(d.runs, 0, 1)
		}
		c := &conversation{decoder: d}
		c.Stream, c.Session, c.RunID, c.LocalTools, c.Whole = &d.Stream, session, run, true, d.mapping.history
		d.runs = append(d.runs, c)
		return c
	}
	c := d.runs[found]
	d.runs = append(slices.Delete(d.runs, found, found+1), c)
	return c
}

// End implements dialect.Decoder.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	for _, c := range d.runs {
		c.leave()
	}
	d.Done()
}
