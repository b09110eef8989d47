package ingest

import (
	"slices"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// reread holds the state that only a restarted stream has. A tap that can read its stream from the
// beginning records it again (Resume.Again): frames that were published before are decoded and
// counted, but not published again.
type reread struct {
	below   uint64 // frames with a lower seq were published
	margin  uint64 // facts that changed in the last margin of these frames are published again
	keyed   bool   // the stream has a key: its summary includes these frames
	attempt uint64 // see Resume.Attempt
}

// discardEvery is the number of reread frames after which their facts are discarded.
const discardEvery = 1024

func newReread(opts *StreamOptions, set *Settings) reread {
	r := reread{keyed: opts.Key != "", margin: uint64(2 * set.BlockFrames)}
	if opts.Resume != nil {
		r.attempt = opts.Resume.Attempt
		if opts.Resume.Again {
			r.below = opts.Resume.NextSeq
		}
	}
	return r
}

// has reports whether a frame was published.
func (r *reread) has(seq uint64) bool { return seq < r.below }

// masked reports whether a frame comes from the log of a key, where its secrets are masked.
func (r *reread) masked(seq uint64) bool { return r.keyed && r.has(seq) }

// summed reports whether the stream's summary counts a frame.
func (r *reread) summed(seq uint64) bool { return !r.has(seq) || r.keyed }

// version returns the version of a segment's state. The versions of a later attempt are higher than
// those of earlier attempts.
func (r *reread) version(g *segment) uint64 {
	return r.attempt<<schema.AttemptShift | StateVersion(g.state, g.lastSeq)
}

// discard removes the facts that were published. Facts that changed in the last frames stay: a
// durable frame does not imply that its facts are durable, since a fact may have waited for a later
// block.
func (r *reread) discard(facts *block.Facts) {
	if r.below == 0 {
		return
	}
	published := func(f *schema.Fact) bool { return f.Version+r.margin < r.below }
	facts.Spans = slices.DeleteFunc(facts.Spans, func(x schema.Span) bool { return published(&x.Fact) })
	facts.Messages = slices.DeleteFunc(facts.Messages, func(x schema.Message) bool { return published(&x.Fact) })
	facts.Usages = slices.DeleteFunc(facts.Usages, func(x schema.Usage) bool { return published(&x.Fact) })
}
