package querytest

import (
	"cmp"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// Recording is what one stream recorded of one session. Empty fields are filled in: times from the
// frames and facts, ids from their index.
type Recording struct {
	Tenant   string // empty for DB.Tenant
	Session  string
	Stream   int // the stream is StreamID(Stream)
	State    schema.StreamState
	Live     bool // the stream has not ended
	Frames   []schema.Frame
	Spans    []schema.Span
	Messages []schema.Message
	Usages   []schema.Usage
}

// Block returns the recording as one block.
func (r *Recording) Block() *block.Block {
	b := &block.Block{Session: r.Session, State: r.State, Frames: r.Frames}
	b.Facts.Spans, b.Facts.Messages, b.Facts.Usages = r.Spans, r.Messages, r.Usages
	st := &b.State
	st.StreamID = StreamID(r.Stream)
	if st.Dialect == "" {
		st.Dialect = "loom"
	}
	if st.Version == 0 {
		st.Version = 1
	}
	see := func(at int64) {
		if at == 0 {
			return
		}
		if st.FirstAt == 0 || at < st.FirstAt {
			st.FirstAt = at
		}
		st.LastAt = max(st.LastAt, at)
	}
	for i := range b.Frames {
		see(b.Frames[i].At)
		st.Bytes += uint64(len(b.Frames[i].Raw))
	}
	if st.Frames == 0 {
		st.Frames = uint64(len(b.Frames))
	}
	for i := range b.Facts.Spans {
		s := &b.Facts.Spans[i]
		fill(&s.Fact, cmp.Or(s.Started, s.Ended), i)
		see(s.SeenAt)
		see(s.Ended)
	}
	for i := range b.Facts.Messages {
		m := &b.Facts.Messages[i]
		fill(&m.Fact, m.Started, i)
		see(m.SeenAt)
		see(m.Ended)
	}
	for i := range b.Facts.Usages {
		u := &b.Facts.Usages[i]
		fill(&u.Fact, u.At, i)
		see(u.SeenAt)
		see(u.At)
	}
	if st.FirstAt == 0 {
		st.FirstAt, st.LastAt = At(0), At(0)
	}
	if !r.Live && st.Ended == 0 {
		st.Ended = st.LastAt
		if st.EndReason == "" {
			st.EndReason = "eof"
		}
	}
	return b
}

func fill(f *schema.Fact, at int64, place int) {
	if f.SeenAt == 0 {
		f.SeenAt = at
	}
	if f.SeenSeq == 0 {
		f.SeenSeq = uint64(place)
	}
	if f.Version == 0 {
		f.Version = f.SeenSeq + 1
	}
}
