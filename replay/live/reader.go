package live

import (
	"context"
	"errors"
	"io"
	"time"

	"tapedeck/internal/budget"
	"tapedeck/replay"
	"tapedeck/schema"
)

// reader returns the frames of a session from a place on, then new frames as they arrive.
type reader struct {
	tape  *tape
	query replay.Query

	view        *snapshot     // the snapshot being read; nil before seam
	history     replay.Reader // the stored frames; nil when they were read
	source      *source       // the blocks that follow; nil before seam
	began       uint64        // the last block when the reader began
	begun       bool
	placed      bool // frames before query.From are skipped
	tracks      map[string]*track
	holding     int       // number of tracks that hold blocks back
	removedAt   time.Time // of the last check for removed blocks
	out         []replay.Frame
	liveSent    bool // ErrLive was returned since the last frame
	endsChecked bool // the end was checked since then
}

const (
	// pollInterval is how often a waiting reader checks its timeouts.
	pollInterval = 250 * time.Millisecond
	// settle is how long a reader waits for frames in flight after the end of the query's time
	// range.
	settle = 2 * time.Second
)

// Next implements replay.Reader.
func (r *reader) Next(ctx context.Context) ([]replay.Frame, error) {
	r.out = r.out[:0]
	for {
		var err error
		switch {
		case r.view == nil:
			err = r.seam(ctx)
		case r.history != nil:
			err = r.readHistory(ctx)
		default:
			err = r.readLive(ctx)
		}
		switch {
		case err != nil:
			return nil, err
		case len(r.out) > 0:
			r.liveSent, r.endsChecked = false, false
			return r.out, nil
		}
	}
}

// seam determines which frames this reader reads from the history and which blocks follow.
func (r *reader) seam(ctx context.Context) error {
	v, err := r.find(ctx)
	if err != nil {
		return r.retry(ctx, err)
	}
	l := r.tape.library
	tail, err := l.acquire(r.tape.session, v.cursor)
	if err != nil {
		return err
	}
	r.leave()
	r.source = &source{library: l, tail: tail, next: v.cursor, grant: budget.Of(ctx)}
	r.view = v
	q := r.query
	r.restart()
	if r.begun {
		q.From = replay.Place{}
		q.Unseen = func(id string) uint64 {
			if k := r.tracks[id]; k != nil {
				return k.passed.unseen(k.begin)
			}
			return 0
		}
	} else if r.begin(v) {
		return nil
	}
	r.begun = true
	if v.stored == nil {
		return nil
	}
	r.history, err = v.stored.Read(ctx, q)
	return err
}

// begin handles the first snapshot. It reports whether no stored frame is requested.
func (r *reader) begin(v *snapshot) bool {
	r.began = v.last
	from := r.query.From
	switch {
	case from.Live:
		for id, c := range v.chains {
			r.track(id).passed = c.all()
		}
		r.source.next = v.last + 1
		v.chains = nil
	case from.Block != 0:
		for id, c := range v.chains {
			k := r.track(id)
			k.passed = c.seen
			k.known, k.part, k.count, k.end = c.began, c.part, c.count, c.end
		}
	default:
		r.placed = from.Position.At > replay.FirstAt(r.tape)
		for _, s := range r.tape.Streams() {
			if end, ok := v.ends[s.StreamID]; ok {
				k := r.track(s.StreamID)
				k.begin, k.began = s.FirstSeq, end
			}
		}
		return false
	}
	r.begun = true
	r.passStored(v)
	return true
}

// find takes a snapshot of the session at the reader's place.
func (r *reader) find(ctx context.Context) (*snapshot, error) {
	from := r.query.From
	if r.begun || from.Block == 0 {
		if v := r.tape.takeFirst(); v != nil && !r.begun {
			return v, nil
		}
		return r.tape.takeSnapshot(ctx, nil)
	}
	v, err := r.tape.takeSnapshot(ctx, &liveAt{from.Block, from.Position.StreamID, from.Position.Seq})
	if errors.Is(err, errRemoved) {
		r.tape.library.opts.Log.Info("live: resumed by position alone, since the block is no longer in JetStream",
			"session", r.tape.session, "block", from.Block)
		r.query.From.Block = 0
		return r.tape.takeSnapshot(ctx, nil)
	}
	return v, err
}

// retry waits before a retry if JetStream or the store is unavailable. A reader that has
// not returned frames fails instead, so that the client receives the error.
func (r *reader) retry(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !r.begun || errors.Is(err, errClosed) {
		return err
	}
	r.tape.library.opts.Log.Warn("live: source unavailable, playback waits", "session", r.tape.session, "error", err)
	return r.pause(ctx, nil, time.Second)
}

// pause waits for a channel, a timeout or the end of ctx.
func (r *reader) pause(ctx context.Context, changed <-chan struct{}, most time.Duration) error {
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case <-changed:
	case <-t.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// readHistory reads the stored frames, except the frames of the blocks that follow.
func (r *reader) readHistory(ctx context.Context) error {
	frames, err := r.history.Next(ctx)
	if errors.Is(err, io.EOF) {
		err = r.history.Close()
		r.history = nil
		r.finish(r.view)
		return err
	}
	if err != nil {
		return err
	}
	var (
		stream *schema.StreamState
		end    uint64
		c      *chain
		track  *track
	)
	for i := range frames {
		f := &frames[i]
		if f.Stream != stream {
			stream = f.Stream
			end, c, track = r.view.ends[stream.StreamID], r.view.chains[stream.StreamID], r.track(stream.StreamID)
		}
		if f.Seq >= end || track.passed.has(f.Seq) || c != nil && c.fresh.has(f.Seq) || r.precedes(track, f) {
			continue
		}
		if r.placed && len(track.passed)+len(track.early) == 0 {
			track.begin = f.Seq
		}
		track.early.add(f.Seq, f.Seq+1)
		track.early.bound()
		r.out = append(r.out, *f)
	}
	return nil
}

// precedes reports whether a frame is not requested since it was stored when the reader began and
// precedes query.From.
func (r *reader) precedes(k *track, f *replay.Frame) bool {
	return r.placed && f.Seq < k.began && r.query.From.Before(f.Position())
}

// finish marks the frames of the history as passed. Stored frames that the history did not return
// are not marked: the store may have a stream's later frames while a recorder still has earlier ones.
func (r *reader) finish(v *snapshot) {
	for id, end := range v.ends {
		k := r.track(id)
		for _, s := range k.early {
			k.passed.add(s.first, s.end)
		}
		k.passed.bound()
		k.early, k.stored = nil, end
	}
}

// passStored marks all stored frames as passed, except those of the blocks that follow.
func (r *reader) passStored(v *snapshot) {
	for id, end := range v.ends {
		k := r.track(id)
		var follow ranges
		if c := v.chains[id]; c != nil {
			follow = append(follow, c.fresh...)
			for _, s := range c.other {
				follow.add(s.first, s.end)
			}
		}
		k.passed.addWithout(end, follow)
	}
}

// readLive reads the frames of the next blocks, or waits for new blocks.
func (r *reader) readLive(ctx context.Context) error {
	pieces, changed, err := r.source.get(ctx)
	if errors.Is(err, errRemoved) {
		r.view = nil
		return nil
	}
	if err != nil {
		return r.retry(ctx, err)
	}
	now := time.Now()
	for _, p := range pieces {
		r.take(p, now)
	}
	removed, err := r.removed(ctx, now)
	if err != nil {
		return r.retry(ctx, err)
	}
	if removed {
		r.view = nil
		return nil
	}
	r.expire(now, false)
	if len(r.out) > 0 || len(pieces) > 0 || changed == nil {
		return nil
	}
	if r.ended(now) {
		if r.expire(now, true); len(r.out) > 0 {
			return nil
		}
		if !r.endsChecked && r.behind() && !r.tape.deleted() {
			r.view, r.endsChecked = nil, true
			return nil
		}
		if r.tape.deleted() {
			return replay.ErrDeleted
		}
		return io.EOF
	}
	if r.holding == 0 && r.source.receiving() {
		r.tape.waits(now)
	}
	if !r.liveSent {
		r.liveSent = true
		return replay.ErrLive
	}
	r.readEnds(ctx, now)
	return r.pause(ctx, changed, pollInterval)
}

// ended reports whether the reader has no more frames to return.
func (r *reader) ended(now time.Time) bool {
	to := r.query.To
	return r.query.Few || r.tape.over(now) || r.tape.deleted() || !to.IsZero() && now.UnixNano() > to.At+int64(settle)
}

// leave closes the source.
func (r *reader) leave() {
	if r.source != nil {
		r.source.close()
		r.source = nil
	}
}

// Close implements replay.Reader.
func (r *reader) Close() error {
	var err error
	if r.history != nil {
		err = r.history.Close()
	}
	r.leave()
	return err
}
