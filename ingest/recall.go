package ingest

import (
	"context"
	"slices"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// A tap that was restarted and can read its stream from the beginning records
// it again (Resume.Again). What is known goes through the decoder and is
// counted, and nothing of it is published.

// recallEvery is after how many known frames their facts are let go of.
const recallEvery = 1024

// recalling reports whether the next frame is a known one.
func (s *Stream) recalling() bool { return s.taken < s.known }

// counts reports whether the summary counts a frame.
func (s *Stream) counts(seq uint64) bool { return seq >= s.known || s.opts.Key != "" }

// Reopen ends the recall of known frames and publishes the state of each part, which
// revokes an end that an earlier attempt published.
func (s *Stream) Reopen(ctx context.Context) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leaveGate()
	if err := s.usable(); err != nil {
		return err
	}
	s.release(false)
	s.collect(false)
	for p := range s.parts.all() {
		s.enqueue(p)
	}
	return s.drain(ctx)
}

// recall counts a known frame.
func (s *Stream) recall(p *part, f *schema.Frame, lost uint64) {
	p.count(f, lost)
	if f.Seq%recallEvery == recallEvery-1 {
		s.collect(false)
	}
}

// leaveKnown takes out the facts that were published with known frames. Those
// that changed in the latest of them are told once more, since what is durable
// counts frames: a fact may have waited for a later block.
func (s *Stream) leaveKnown(facts *block.Facts) {
	if s.known == 0 {
		return
	}
	margin := uint64(2 * s.recorder.settings.BlockFrames)
	told := func(f *schema.Fact) bool { return f.Version+margin < s.known }
	facts.Spans = slices.DeleteFunc(facts.Spans, func(x schema.Span) bool { return told(&x.Fact) })
	facts.Messages = slices.DeleteFunc(facts.Messages, func(x schema.Message) bool { return told(&x.Fact) })
	facts.Usages = slices.DeleteFunc(facts.Usages, func(x schema.Usage) bool { return told(&x.Fact) })
}
