package ingest

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// retellAfter is when messages that the book put off are asked for again.
const retellAfter = time.Second

// queued is a block that was cut and waits for the publisher to take it.
type queued struct {
	parcel EncodedBlock
	done   func(error)
}

// cutAll cuts everything that waits. With all set, also parts without anything,
// and no open message is put off for later: the stream ends.
func (s *Stream) cutAll(all bool) {
	s.collect(all)
	for p := range s.parts.all() {
		if p.waiting() || all {
			s.enqueue(p)
		}
	}
	s.tellPartings()
}

// cut cuts what waits in one part.
func (s *Stream) cut(p *part) {
	s.collect(false)
	s.enqueue(p)
}

// collect takes the facts that changed out of the book and lays each with the
// part of its session.
func (s *Stream) collect(all bool) {
	facts, putOff := s.emitter.Take(s.lastAt, all || s.quiet)
	s.leaveKnown(&facts)
	for _, t := range s.emitter.TakeTitles() {
		if p := s.parts.byName[s.sessionOf(t.Session)]; p != nil && p.state.Title == "" {
			p.state.Title = t.Text
		}
	}
	for i := range facts.Spans {
		into := s.factsOf(&facts.Spans[i].Fact)
		into.Spans = append(into.Spans, facts.Spans[i])
	}
	for i := range facts.Messages {
		into := s.factsOf(&facts.Messages[i].Fact)
		into.Messages = append(into.Messages, facts.Messages[i])
	}
	for i := range facts.Usages {
		into := s.factsOf(&facts.Usages[i].Fact)
		into.Usages = append(into.Usages, facts.Usages[i])
	}
	if putOff {
		s.putOffAt = s.seq
		s.arm(retellAfter)
	}
}

// factsOf gives the place where a fact waits for its block.
func (s *Stream) factsOf(f *schema.Fact) *block.Facts {
	session := s.sessionOf(f.Session)
	p := s.parts.of(session)
	if p == nil {
		// A late word on a session that was left: a part without frames, which
		// must not be taken for the one that has them.
		p = s.begin(session, s.taken, f.SeenAt)
		p.lastSeq = s.taken
		s.makeRoom()
	}
	return &p.facts
}

// enqueue encodes what waits in a part.
func (s *Stream) enqueue(p *part) {
	if s.recalling() {
		p.facts = block.Facts{} // a part that is left: all of it was told
		return
	}
	p.state.Version = stateVersion(p)
	builder := p.builder
	if builder == nil {
		builder = block.NewBuilder()
		p.first = s.taken
	}
	left := s.takePartings()
	frames := builder.Frames()
	data := builder.Encode(nil, &block.Block{
		Tenant: s.opts.Tenant, Session: p.session, State: p.state, Facts: p.facts, Left: left,
	}, block.S2)
	builder.Release()
	p.builder, p.facts = nil, block.Facts{}
	s.queue = append(s.queue, queued{
		parcel: EncodedBlock{Tenant: s.opts.Tenant, Session: p.session, ID: s.parcelID(), Frames: frames, Data: data},
		done:   s.settler(),
	})
}

// settler returns the callback for the block that was cut last: it is called once the block
// is durable or has failed.
func (s *Stream) settler() func(error) {
	done := s.acks.sent(s.lowestWaiting())
	return func(err error) {
		if s.passesOver(err) {
			err = nil
		}
		done(err)
	}
}

// passesOver reports whether the stream continues after an error: it does when one of
// the sessions that its frames name was deleted, since they may name others.
func (s *Stream) passesOver(err error) bool { return s.opts.Session == "" && IsDeleted(err) }

// offer hands queued blocks to the publisher for as long as ctx stands; what it
// does not take by then stays in the queue, which is no error.
func (s *Stream) offer(ctx context.Context) error {
	if err := s.drain(ctx); s.err != nil {
		return err
	}
	return nil
}

// drain hands all queued blocks to the publisher. It fails with ctx's error if
// ctx ended before the publisher took them all; any other error ends the stream.
func (s *Stream) drain(ctx context.Context) error {
	for len(s.queue) > 0 {
		q := s.queue[0]
		err := s.publisher.Publish(ctx, q.parcel, q.done)
		if err != nil && ctx.Err() != nil {
			return fmt.Errorf("recording is held up: %w", err)
		}
		if err != nil && !s.passesOver(err) {
			s.err = fmt.Errorf("record stream %s: %w", s.id, err)
			q.done(s.err)
			return s.err
		}
		if err != nil {
			q.done(nil)
		}
		s.queue[0] = queued{}
		s.queue = s.queue[1:]
	}
	s.queue = nil
	return nil
}

// stateVersion follows from the frames alone, so that frames which are recorded
// again after a restart lead to the same versions: twice the number of the part's
// last frame, and one more at the end. The attempt stands above them.
func stateVersion(p *part) uint64 {
	v := p.attempt<<schema.AttemptShift | 2*(p.lastSeq+1)
	if p.state.Ended != 0 {
		v++
	}
	return v
}

// parcelID names a block, for this process's life of the stream.
func (s *Stream) parcelID() string {
	s.parcels++
	return s.id + "." + strconv.FormatInt(s.opened, 36) + "." + strconv.FormatUint(s.parcels, 36)
}

// lowestWaiting is the lowest seq of a frame that was not cut into a block, or
// at which a part was left whose end was not.
func (s *Stream) lowestWaiting() uint64 {
	lowest := s.taken
	if len(s.partings) > 0 {
		lowest = s.partings[0].at
	}
	if s.hold != nil && len(s.hold.frames) > 0 {
		lowest = s.hold.frames[0].Seq
	}
	for p := range s.parts.all() {
		if p.builder != nil {
			lowest = min(lowest, p.first)
		}
	}
	return lowest
}
