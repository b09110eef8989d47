package live

import (
	"cmp"
	"context"
	"slices"
	"time"

	"tapedeck/replay"
)

// track is the progress of a reader in one stream.
type track struct {
	passed ranges // frames that were emitted or are not requested
	early  ranges // frames emitted from the history that is being read
	begin  uint64 // no earlier frame is read from the history again
	began  uint64 // the number after the last frame that was stored when the reader began
	stored uint64 // the number after the last stored frame of the last history
	// known, part, count and end describe the block emitted last, if any: the first frame of its
	// segment, the number of frames of the segment up to its end, and the number after its last
	// frame.
	known       bool
	part, count uint64
	end         uint64
	last        uint64   // the block emitted last; initially the last block of the snapshot
	held        []*piece // blocks that follow a missing block
	since       time.Time
}

// missing reports whether a block of the piece's segment must come before the piece.
func (k *track) missing(p *piece) bool {
	return k.known && k.part == p.state.FirstSeq && p.before() > k.count && !k.passed.has(p.first())
}

// pass records a piece as emitted.
func (k *track) pass(p *piece) {
	k.last = max(k.last, p.number)
	first := p.first()
	if k.known && k.part == p.state.FirstSeq {
		if p.before() == k.count {
			first = min(first, k.end) // frames in between belong to other sessions
		}
		k.count, k.end = max(k.count, p.state.Frames), max(k.end, p.end())
	} else {
		k.known, k.part, k.count, k.end = true, p.state.FirstSeq, p.state.Frames, p.end()
	}
	k.passed.add(first, p.end())
	k.passed.bound()
}

// mostHeld bounds the blocks of one stream that a reader holds back.
const mostHeld = 256

func (r *reader) track(id string) *track {
	k := r.tracks[id]
	if k == nil {
		k = &track{}
		r.tracks[id] = k
	}
	return k
}

// take adds the frames of a received block to out, or holds the block back.
func (r *reader) take(p *piece, now time.Time) {
	r.tape.note(&p.state, p.at)
	if len(p.frames) == 0 {
		return
	}
	k := r.tracks[p.state.StreamID]
	if k == nil { // the stream began after the snapshot
		k = r.track(p.state.StreamID)
		k.known, k.part, k.end, k.last = true, p.state.FirstSeq, p.state.FirstSeq, r.view.last
	}
	if k.passed.covers(p.first(), p.end()) {
		return // the block was resent
	}
	if k.missing(p) {
		if len(k.held) == 0 {
			k.since = now
			r.holding++
		}
		if k.held = append(k.held, p); len(k.held) >= mostHeld {
			r.release(k, true)
		}
		return
	}
	r.emit(k, p, r.holding == 0)
	r.release(k, false)
}

// release emits held pieces: all of them, or those with no missing block before them.
func (r *reader) release(k *track, all bool) {
	if len(k.held) == 0 {
		return
	}
	slices.SortStableFunc(k.held, func(a, b *piece) int { return cmp.Compare(a.first(), b.first()) })
	for len(k.held) > 0 && (all || !k.missing(k.held[0])) {
		r.emit(k, k.held[0], false)
		k.held = k.held[1:]
	}
	if len(k.held) == 0 {
		k.held = nil
		r.holding--
	}
}

// expire emits pieces that were held back too long.
func (r *reader) expire(now time.Time, all bool) {
	if r.holding == 0 {
		return
	}
	for _, k := range r.tracks {
		if all || now.Sub(k.since) > r.tape.library.opts.Timeout {
			r.release(k, true)
		}
	}
}

// removed reports whether JetStream may have removed a missing block before the reader
// received it. Such a block is stored.
func (r *reader) removed(ctx context.Context, now time.Time) (bool, error) {
	if r.holding == 0 || now.Sub(r.removedAt) < pollInterval {
		return false, nil
	}
	r.removedAt = now
	first, err := r.tape.library.first(ctx, r.tape.session)
	if err != nil {
		return false, err
	}
	for _, k := range r.tracks {
		if len(k.held) > 0 && first > k.last+1 {
			return true, nil
		}
	}
	return false, nil
}

// restart drops the blocks that are held back and the positions in the streams' segments. The next
// snapshot reads the frames again that were not emitted.
func (r *reader) restart() {
	for _, k := range r.tracks {
		k.known, k.held, k.last = false, nil, r.view.last
	}
	r.holding = 0
}

// emit adds the requested frames of a piece to out that were not emitted before. inOrder is set if
// all earlier blocks were emitted. Frames of blocks up to snapshot.copied get no block number: such
// a block may be the copy of a block from before the snapshot, whose frames the history omits.
func (r *reader) emit(k *track, p *piece, inOrder bool) {
	block := uint64(0)
	if inOrder && p.number > r.view.copied && r.tape.several() {
		block = p.number
	}
	var encodings []replay.Encoding
	if shared := p.encodings.Load(); shared != nil {
		encodings = *shared
	}
	q := &r.query
	early := p.number <= r.began // the block existed when the reader began
	for i := range p.frames {
		f := replay.Frame{Frame: p.frames[i], Stream: &p.state, Block: block}
		if k.passed.has(f.Seq) || !q.Filter.Match(&f.Frame) {
			continue
		}
		position := f.Position()
		if early && r.placed && q.From.Before(position) || r.precedes(k, &f) || !q.To.IsZero() && position.Compare(q.To) > 0 {
			continue
		}
		if encodings != nil {
			f.Encoding = &encodings[i]
		}
		r.out = append(r.out, f)
	}
	k.pass(p)
}
