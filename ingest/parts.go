package ingest

import (
	"container/list"
	"iter"
	"strings"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// part is one session's share of a stream: its counters and the block that is
// being filled.
type part struct {
	session string
	state   schema.StreamState
	builder *block.Builder // nil while nothing waits
	first   uint64         // seq of the first frame that waits
	lastSeq uint64         // of the last frame added
	attempt uint64         // see Resume.Attempt
	facts   block.Facts    // facts that wait
	element *list.Element
}

// waiting reports whether frames or facts wait to be cut.
func (p *part) waiting() bool { return p.builder != nil || p.facts.Len() > 0 }

// add appends a frame and counts it.
func (p *part) add(f *schema.Frame, lost uint64) {
	if p.builder == nil {
		p.builder = block.NewBuilder()
		p.first = f.Seq
	}
	p.builder.Add(f)
	p.count(f, lost)
}

// count counts a frame.
func (p *part) count(f *schema.Frame, lost uint64) {
	st := &p.state
	p.lastSeq = f.Seq
	st.LastAt = f.At
	st.Frames++
	st.Bytes += uint64(len(f.Raw))
	if f.Flags != 0 || lost != 0 {
		count(&st.Counters, f.Flags, lost)
	}
}

func count(c *schema.Counters, flags schema.Flags, lost uint64) {
	c.Lost += lost
	for _, of := range [...]struct {
		flag  schema.Flags
		count *uint64
	}{
		{schema.FlagNotJSON, &c.NotJSON}, {schema.FlagInvalidUTF8, &c.InvalidUTF8}, {schema.FlagOversize, &c.Oversize},
		{schema.FlagUnknownType, &c.Unknown}, {schema.FlagEventRepeat, &c.Repeated}, {schema.FlagEventBack, &c.Back},
	} {
		if flags.Has(of.flag) {
			*of.count++
		}
	}
}

// parts are the sessions that a stream's frames go to, the latest used first.
type parts struct {
	limit   int
	byName  map[string]*part
	order   *list.List // of *part
	last    *part      // the one used last: nearly always the next one, too
	session string     // that of frames which name none; "" until a frame names one
}

func (ps *parts) init(limit int) {
	ps.limit, ps.byName, ps.order = limit, map[string]*part{}, list.New()
}

// name settles the session of frames that name none.
func (ps *parts) name(session string) {
	if ps.session == "" {
		ps.session = sessionID(session)
	}
}

// resolve gives the session for what names the given one.
func (ps *parts) resolve(named, streamID string) string {
	switch {
	case named == "" && ps.session == "":
		return streamID
	case named == "":
		return ps.session
	case ps.last != nil && ps.last.session == named && !looksEscaped(named):
		return named
	}
	return sessionID(named)
}

// of gives the open part of a session, nil if there is none.
func (ps *parts) of(session string) *part {
	if ps.last != nil && ps.last.session == session {
		return ps.last
	}
	p := ps.byName[session]
	if p != nil {
		ps.order.MoveToFront(p.element)
		ps.last = p
	}
	return p
}

// tooMany reports whether a part has to go.
func (ps *parts) tooMany() bool { return ps.order.Len() > ps.limit }

// oldest gives the part that was left longest.
func (ps *parts) oldest() *part { return ps.order.Back().Value.(*part) }

// open adds a part for a session that has none.
func (ps *parts) open(session string, state schema.StreamState) *part {
	p := &part{session: strings.Clone(session), state: state}
	p.element = ps.order.PushFront(p)
	ps.byName[p.session] = p
	ps.last = p
	return p
}

// remove takes a part out.
func (ps *parts) remove(p *part) {
	ps.order.Remove(p.element)
	delete(ps.byName, p.session)
	if ps.last == p {
		ps.last = nil
	}
}

// all goes over the open parts, the one left longest first.
func (ps *parts) all() iter.Seq[*part] {
	return func(yield func(*part) bool) {
		for e := ps.order.Back(); e != nil; {
			before := e.Prev()
			if !yield(e.Value.(*part)) {
				return
			}
			e = before
		}
	}
}
