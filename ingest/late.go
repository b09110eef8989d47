package ingest

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/ingest/dialect/generic"
	"tapedeck/schema"
)

// late goes on looking for a stream's dialect after its first frames could be
// held back no longer: a model may take its time before it says anything. Until
// the dialect shows, frames are stored with what generic reads off them. Copies
// of them wait here, so that the dialect is told of all of them when it is known.
type late struct {
	recogniser *dialects.Recogniser
	frames     []schema.Frame
	bytes      int
}

// lookLater takes over from the hold.
func (h *hold) lookLater() *late {
	l := &late{recogniser: h.recogniser}
	for i := range h.frames {
		l.remember(&h.frames[i].Frame)
	}
	return l
}

func (l *late) remember(f *schema.Frame) {
	own := *f
	own.Raw, own.Cuts, own.Envelope = bytes.Clone(f.Raw), nil, schema.Envelope{}
	l.frames = append(l.frames, own)
	l.bytes += len(f.Raw)
}

// full says that no more is remembered: the dialect is what it looks like now.
func (l *late) full(set *Settings) bool {
	return len(l.frames) >= set.HoldFrames || l.bytes >= set.HoldBytes
}

// recogniseLate looks at a frame that comes after the hold, before it is
// decoded.
func (s *Stream) recogniseLate(f *schema.Frame) {
	l := s.late
	settled := false
	s.look(f, func(in *dialect.Input) { settled = l.recogniser.Feed(in) })
	if !settled && l.recogniser.Best() < dialect.Likely && !l.full(&s.recorder.settings) {
		l.remember(f)
		return
	}
	s.late = nil
	d, evidence := l.recogniser.Settle()
	s.settleDialect(d, evidence)
	for p := range s.parts.all() {
		p.state.Dialect, p.state.Evidence = d.Name, evidence
	}
	if d.Name == generic.Dialect.Name {
		return // that is how they were read
	}
	for i := range l.frames {
		s.look(&l.frames[i], s.read)
	}
}
