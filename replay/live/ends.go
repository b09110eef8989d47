package live

import (
	"context"
	"time"
)

// readEndsTimeout bounds one call of readEnds, which delays live frames.
const readEndsTimeout = time.Second

// readEnds reads the stored streams when a session with open streams has been quiet for
// Options.Grace, and at most once per Options.Grace. A stream may have left the session, which no
// block of the session records.
func (t *tape) readEnds(ctx context.Context, now time.Time) {
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
	ctx, cancel := context.WithTimeout(ctx, readEndsTimeout)
	defer cancel()
	stored, err := t.library.opts.Stored.Tape(ctx, t.session.tenant, t.session.id)
	if err != nil {
		return // not stored yet, or the store is unavailable
	}
	streams := stored.Streams()
	for i := range streams {
		s := &streams[i]
		t.note(s, time.Unix(0, max(s.LastAt, s.Ended)))
	}
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

// behind reports whether streams have frames after the emitted ones. If JetStream is slow, the
// store may have the end of a stream before its last blocks have arrived here.
func (r *reader) behind() bool {
	if r.query.Few || !r.query.To.IsZero() {
		return false
	}
	r.tape.mu.Lock()
	defer r.tape.mu.Unlock()
	for id, s := range r.tape.streams {
		k := r.tracks[id]
		if k == nil || k.passed.end() < endOf(&s) {
			return true
		}
	}
	return false
}
