package live

import (
	"context"
	"sync"
	"time"

	"tapedeck/schema"
)

// readEndsTimeout bounds one call of readEnds, which delays live frames.
const readEndsTimeout = time.Second

// readEnds reads the stored streams when a session with open streams has been quiet for
// Options.Grace, and at most once per Options.Grace. A stream may have left the session, which no
// block of the session records.
func (r *reader) readEnds(ctx context.Context, now time.Time) {
	t := r.tape
	wait := t.library.opts.Grace
	t.mu.Lock()
	due := now.Sub(t.lastActivity) > wait && now.Sub(t.endsReadAt) > wait && t.isOpen()
	if due {
		t.endsReadAt = now
	}
	t.mu.Unlock()
	if !due {
		return
	}
	streams := r.source.tail.ends.read(ctx, &t.library.opts, t.session)
	for i := range streams {
		s := &streams[i]
		t.note(s, time.Unix(0, max(s.LastAt, s.Ended)))
	}
}

// ends holds the stored streams of a session as one of its readers read them last, so that many
// readers of a quiet session cost the store as much as two.
type ends struct {
	mu      sync.Mutex    // guards the fields below
	reading chan struct{} // closed when the current reading is over; nil for none
	at      time.Time     // when streams were read
	streams []schema.StreamState
}

// read returns the stored streams, at most half of Options.Grace old: none if the session is not
// stored yet or the store is unavailable. It waits while another reader reads them.
func (e *ends) read(ctx context.Context, o *Options, s *session) []schema.StreamState {
	for ctx.Err() == nil {
		e.mu.Lock()
		if time.Since(e.at) <= o.Grace/2 {
			defer e.mu.Unlock()
			return e.streams
		}
		reading := e.reading
		if reading == nil {
			e.reading = make(chan struct{})
			e.mu.Unlock()
			return e.ask(ctx, o, s)
		}
		e.mu.Unlock()
		select {
		case <-reading:
		case <-ctx.Done():
		}
	}
	return nil
}

// ask reads the streams from the store. If ctx ends meanwhile, another reader reads them.
func (e *ends) ask(ctx context.Context, o *Options, s *session) []schema.StreamState {
	limited, cancel := context.WithTimeout(ctx, readEndsTimeout)
	defer cancel()
	stored, err := o.Stored.Tape(limited, s.tenant, s.id)
	e.mu.Lock()
	defer e.mu.Unlock()
	close(e.reading)
	if e.reading = nil; ctx.Err() != nil {
		return nil
	}
	if e.at, e.streams = time.Now(), nil; err == nil {
		e.streams = stored.Streams()
	}
	return e.streams
}

// isOpen reports whether any stream has not ended. The caller holds the lock.
func (t *tape) isOpen() bool {
	for _, s := range t.streams {
		if s.Ended == 0 {
			return true
		}
	}
	return false
}

// behind reports whether streams have frames that were not emitted, after the emitted ones or, if the
// reader returns all frames, between them. If JetStream is slow, the store may have the end of a
// stream before its last blocks have arrived here.
func (r *reader) behind() bool {
	if r.query.Few || !r.query.To.IsZero() {
		return false
	}
	whole := !r.placed && r.query.Filter.All()
	r.tape.mu.Lock()
	defer r.tape.mu.Unlock()
	for id, s := range r.tape.streams {
		k, end := r.tracks[id], endOf(&s)
		if k == nil || max(k.passed.end(), k.stored) < end {
			return true
		}
		others := end - s.FirstSeq - s.Frames // frames of other sessions
		if whole && k.passed.missing(s.FirstSeq, end) > others {
			return true
		}
	}
	return false
}
