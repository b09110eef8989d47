package ingest

import (
	"cmp"
	"time"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// segmenter puts frames and facts into the segments of their sessions, counts frames, and
// ends segments.
type segmenter struct {
	opts     *StreamOptions
	settings *Settings
	position *position
	emitter  *dialect.Emitter
	blocks   *blocker
	wake     *wakeup
	summary  *Summary

	segments
	distinct   distinctSessions
	clock      *frameClock // nil unless StreamOptions.FrameClock
	reread     reread
	template   schema.StreamState // initial fields of the states of all segments
	session    string             // session of frames that name none; "" until a frame names one
	deferredAt uint64             // position.next when the emitter deferred an open message
	deferred   time.Time          // when that was
}

// deferFor is the time after which messages that the emitter deferred are taken, if no frame arrives.
const deferFor = time.Second

func (s *segmenter) setDialect(name, evidence string) {
	s.template.Dialect, s.template.Evidence = name, evidence
	s.summary.Dialect, s.summary.Evidence = name, evidence
	for g := range s.all() {
		g.state.Dialect, g.state.Evidence = name, evidence
	}
}

// setSession sets the session of frames that name none. Only the first call has an effect.
func (s *segmenter) setSession(named string) {
	if s.session == "" {
		s.session = sessionID(named)
	}
}

// sessionOf returns the session of a frame or fact that names the given session.
func (s *segmenter) sessionOf(named string) string {
	switch {
	case s.opts.Session != "":
		return s.opts.Session
	case named == "" && s.session == "":
		return s.template.StreamID
	case named == "":
		return s.session
	case s.last != nil && s.last.session == named && !looksEscaped(named):
		return named
	}
	return sessionID(named)
}

// add processes the next decoded frame. lost is the number of frames that are missing before it.
func (s *segmenter) add(f *schema.Frame, lost uint64) {
	session := s.sessionOf(f.Session)
	g := s.use(session)
	if g == nil {
		g = s.begin(session, f.Seq, f.At)
	}
	if s.clock.on() { // times stay in order in this session too, if the clock used another
		f.At = max(f.At, g.state.LastAt)
	}
	g.count(f, lost)
	published := s.reread.has(f.Seq)
	if !published {
		s.blocks.add(g, f)
	} else if f.Seq%discardEvery == discardEvery-1 {
		s.collect(false)
	}
	if s.tooMany() { // after the frame was added: it waits, so no block can make it durable
		s.collect(false) // the facts of the segment to evict
		s.use(g.session) // keeps the current segment, whichever segments have facts
		s.makeRoom()
	}
	if s.reread.summed(f.Seq) {
		Count(&s.summary.Counters, f.Flags, lost)
		if f.Flags.Has(schema.FlagOversize) {
			limits.WithLabelValues("frame-bytes").Inc()
		}
		if f.Flags.Has(schema.FlagJoined) && f.Direction == schema.Receive {
			s.summary.Joined++
		}
		if f.Flags.Has(schema.FlagBadChecksum) {
			s.summary.BadChecksum++
		}
		if f.Flags.Has(schema.FlagTooDeep) {
			s.summary.TooDeep++
			limits.WithLabelValues("json-depth").Inc()
		}
	}
	switch {
	case published:
	case s.blocks.full(g):
		s.collect(false)
		s.cut(g)
	case g.builder != nil: // facts of evicted sessions may have closed it
		s.wake.within(s.settings.BlockAge)
	}
}

// begin opens a segment.
func (s *segmenter) begin(session string, seq uint64, at int64) *segment {
	g := s.open(session, s.template)
	g.state.FirstSeq, g.state.FirstAt, g.state.LastAt = seq, at, at
	if s.distinct.add(g.session) {
		s.summary.SessionCount++
		s.summary.LastSession = g.session
		if len(s.summary.Sessions) < SessionLimit {
			s.summary.Sessions = append(s.summary.Sessions, g.session)
		}
	}
	return g
}

// makeRoom closes the least recently used segment, if there are too many.
func (s *segmenter) makeRoom() {
	if !s.tooMany() {
		return
	}
	g := s.evict()
	g.state.Ended, g.state.EndReason = g.state.LastAt, "left"
	if g.waits() || s.rereading() {
		s.cut(g)
		return
	}
	g.state.Version = s.reread.version(g)
	s.blocks.close(g)
	s.wake.within(s.settings.BlockAge)
}

// rereading reports whether the next frame was published before a restart.
func (s *segmenter) rereading() bool { return s.reread.has(s.position.taken) }

// cut makes the blocker cut what waits in a segment.
func (s *segmenter) cut(g *segment) {
	if s.rereading() {
		g.facts = block.Facts{} // the facts were published
		return
	}
	g.state.Version = s.reread.version(g)
	s.blocks.cut(g)
}

// cutWaiting cuts everything that waits. If settle is set, the emitter defers no open message.
func (s *segmenter) cutWaiting(settle bool) {
	s.collect(settle)
	for g := range s.all() {
		if g.waits() {
			s.cut(g)
		}
	}
	s.blocks.cutClosed()
}

// cutAll cuts a block of every segment, with or without frames and facts.
func (s *segmenter) cutAll(settle bool) {
	s.collect(settle)
	for g := range s.all() {
		s.cut(g)
	}
	s.blocks.cutClosed()
}

// end ends all segments, those included that the last facts open.
func (s *segmenter) end(at int64, reason, digest string) {
	s.collect(true)
	for g := range s.all() {
		g.state.Ended, g.state.EndReason, g.state.Digest = at, reason, digest
		g.state.Title = cmp.Or(g.state.Title, g.answer.Title, s.opts.Title)
		if s.clock.on() {
			g.state.Ended = g.state.LastAt
		}
		s.cut(g)
	}
	s.blocks.cutClosed()
}

// quiet reports whether the emitter deferred a message deferFor ago, and no frame has arrived since.
func (s *segmenter) quiet() bool {
	return s.deferredAt == s.position.next && time.Since(s.deferred) >= deferFor
}

// collect takes the changed facts from the emitter and adds each to the segment of its session.
func (s *segmenter) collect(settle bool) {
	facts, deferred := s.emitter.Take(s.position.at, settle)
	for i := range facts.Messages { // also those of frames that are read again
		if g := s.bySession[s.sessionOf(facts.Messages[i].Session)]; g != nil {
			g.answer.See(&facts.Messages[i])
		}
	}
	s.reread.discard(&facts)
	for _, t := range s.emitter.TakeTitles() {
		if g := s.bySession[s.sessionOf(t.Session)]; g != nil && g.state.Title == "" {
			g.state.Title = t.Text
		}
	}
	s.keepLimits()
	var late lateFacts
	for i := range facts.Spans {
		into := s.factsOf(&facts.Spans[i].Fact, &late)
		into.Spans = append(into.Spans, facts.Spans[i])
	}
	for i := range facts.Messages {
		into := s.factsOf(&facts.Messages[i].Fact, &late)
		into.Messages = append(into.Messages, facts.Messages[i])
	}
	for i := range facts.Usages {
		into := s.factsOf(&facts.Usages[i].Fact, &late)
		into.Usages = append(into.Usages, facts.Usages[i])
	}
	for _, l := range late.inOrder {
		s.beginLate(l)
	}
	if deferred {
		if s.deferredAt != s.position.next {
			s.deferredAt, s.deferred = s.position.next, time.Now()
		}
		s.wake.within(deferFor)
	}
}

// factsOf returns where a fact waits for its block: the open segment of its session, or late.
func (s *segmenter) factsOf(f *schema.Fact, late *lateFacts) *block.Facts {
	session := s.sessionOf(f.Session)
	if g := s.use(session); g != nil {
		return &g.facts
	}
	return late.of(session, f.SeenAt)
}

// beginLate opens a segment without frames for the late facts of a session. Its FirstSeq differs
// from the closed segment's, which has the frames.
func (s *segmenter) beginLate(l *lateSession) {
	g := s.begin(l.session, s.position.taken, l.seenAt)
	g.lastSeq, g.facts = s.position.taken, l.facts
	s.makeRoom()
}
