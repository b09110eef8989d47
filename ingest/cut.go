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

// cutAll hands on everything that waits. With all set no open message is put
// off for later.
func (s *Stream) cutAll(ctx context.Context, all bool) error {
	putOff, err := s.collect(ctx, all)
	if err != nil {
		return err
	}
	for p := range s.parts.all() {
		if p.waiting() || all {
			if err := s.send(ctx, p); err != nil {
				return err
			}
		}
	}
	if putOff {
		s.arm(retellAfter)
	}
	return nil
}

// cut hands on what waits in one part.
func (s *Stream) cut(ctx context.Context, p *part) error {
	putOff, err := s.collect(ctx, false)
	if err != nil {
		return err
	}
	if putOff {
		s.arm(retellAfter)
	}
	return s.send(ctx, p)
}

// leave closes a part that had to make room for another.
func (s *Stream) leave(ctx context.Context, p *part) error {
	p.state.Ended, p.state.EndReason = p.state.LastAt, "left"
	return s.cut(ctx, p)
}

// collect takes the facts that changed out of the book and lays each with the
// part of its session.
func (s *Stream) collect(ctx context.Context, all bool) (putOff bool, err error) {
	facts, putOff := s.book.Take(s.lastAt, all)
	to := func(f *schema.Fact) (*block.Facts, error) {
		p, left := s.parts.of(s.sessionOf(f.Session))
		if p.fresh() {
			s.begin(p, &schema.Frame{Seq: f.SeenSeq, At: f.SeenAt})
		}
		if left == nil {
			return &p.facts, nil
		}
		left.state.Ended, left.state.EndReason = left.state.LastAt, "left"
		return &p.facts, s.send(ctx, left)
	}
	for _, t := range s.book.TakeTitles() {
		if p, ok := s.parts.byName[s.sessionOf(t.Session)]; ok && p.state.Title == "" {
			p.state.Title = t.Text
		}
	}
	for i := range facts.Spans {
		into, err := to(&facts.Spans[i].Fact)
		if err != nil {
			return false, err
		}
		into.Spans = append(into.Spans, facts.Spans[i])
	}
	for i := range facts.Messages {
		into, err := to(&facts.Messages[i].Fact)
		if err != nil {
			return false, err
		}
		into.Messages = append(into.Messages, facts.Messages[i])
	}
	for i := range facts.Usages {
		into, err := to(&facts.Usages[i].Fact)
		if err != nil {
			return false, err
		}
		into.Usages = append(into.Usages, facts.Usages[i])
	}
	return putOff, nil
}

// send encodes what waits in a part and hands it to the publisher.
func (s *Stream) send(ctx context.Context, p *part) error {
	p.state.Version = stateVersion(p)
	builder := p.builder
	if builder == nil {
		builder = block.NewBuilder()
		p.first = s.seq
	}
	frames := builder.Frames()
	data := builder.Encode(nil, &block.Block{
		Tenant: s.opts.Tenant, Session: p.session, State: p.state, Facts: p.facts,
	}, block.S2)
	builder.Release()
	first := p.first
	p.builder, p.facts = nil, block.Facts{}

	done := s.acks.sent(first, s.lowestWaiting())
	err := s.recorder.publisher.Publish(ctx, Parcel{
		Tenant: s.opts.Tenant, Session: p.session, ID: s.parcelID(), Frames: frames, Data: data,
	}, done)
	if err != nil {
		err = fmt.Errorf("hand on %d frames of stream %s: %w", frames, s.id, err)
		done(err)
		s.fail(err)
	}
	return err
}

// stateVersion follows from the frames alone, so that frames which are recorded
// again after a restart lead to the same versions: twice the number of the part's
// last frame, and one more at the end.
func stateVersion(p *part) uint64 {
	v := 2 * (p.lastSeq + 1)
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

// lowestWaiting is the lowest seq of a frame that was not handed on so far.
func (s *Stream) lowestWaiting() uint64 {
	lowest := s.seq
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
