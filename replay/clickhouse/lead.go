package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"tapedeck/internal/budget"
	"tapedeck/replay"
	"tapedeck/schema"
	"tapedeck/schema/lifecycle/tombstone"
	"tapedeck/schema/sessioncache"
)

// lead holds the first frames of a session, packed, for all readers. It is immutable.
type lead struct {
	streams  []*schema.StreamState // the streams of the frames
	chunks   []chunk
	complete bool              // the session has no further frame
	last     schema.Position   // of the last frame; zero if there is none
	next     map[string]uint64 // the number after the last frame of each stream that has one
}

const (
	// leadFrames and leadBytes bound the frames of a lead. The bytes are counted as recorded;
	// packed frames take about a tenth of them.
	leadFrames = 1024
	leadBytes  = 256 << 10
)

// errLeadEnd is returned by a leading reader after the frames that it reads.
var errLeadEnd = errors.New("the first frames were read")

// leads reports whether a reader of the query begins with the lead of the session: it needs the
// first frames, and without a filter unless the lead probably has all frames.
func (t *tape) leads(q *replay.Query) bool {
	if !t.cached || q.Unseen != nil || q.From.Live || q.From.Block != 0 {
		return false
	}
	small := t.small()
	return (small || q.From == replay.Place{}) && (small || q.Filter.All())
}

// small reports whether all frames fit into a lead.
func (t *tape) small() bool {
	frames, bytes := uint64(0), uint64(0)
	for i := range t.streams {
		frames += t.streams[i].Frames
		bytes += t.streams[i].Bytes
	}
	return frames <= leadFrames && bytes <= leadBytes
}

// lead returns the first frames of the session from the cache, or reads them. The error is
// replay.ErrDeleted if the session was deleted after the tape was opened.
func (t *tape) lead(ctx context.Context) (*lead, error) {
	of := tombstone.Key{Tenant: t.tenant, Session: t.session}
	l, err := sessioncache.Get(ctx, t.store.opts.Cache, of, "lead", func(ctx context.Context) (*lead, int64, error) {
		// The caller's tape may have been opened before frames were added.
		now, err := t.store.tape(ctx, t.tenant, t.session)
		if err != nil {
			return nil, 0, err
		}
		return now.readLead(ctx)
	})
	if errors.Is(err, replay.ErrNoSession) {
		return nil, replay.ErrDeleted
	}
	return l, err
}

// readLead reads the first frames. It returns their memory too, bytes.
func (t *tape) readLead(ctx context.Context) (_ *lead, size int64, err error) {
	r := &reader{tape: t, leading: true}
	r.start()
	defer r.Close()
	l := &lead{next: map[string]uint64{}}
	for i := range t.streams {
		l.streams = append(l.streams, &t.streams[i])
	}
	for count, bytes := 0, 0; ; {
		frames, err := r.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			l.complete = true
			return l, size, nil
		case errors.Is(err, errLeadEnd):
			return l, size, nil
		case err != nil:
			return nil, 0, fmt.Errorf("read the first frames of session %q: %w", t.session, err)
		}
		n := 0
		for n < len(frames) && count < leadFrames && bytes+len(frames[n].Raw) <= leadBytes {
			count, bytes = count+1, bytes+len(frames[n].Raw)
			n++
		}
		size += l.add(t.store, frames[:n])
		if n < len(frames) {
			return l, size, nil
		}
	}
}

// add appends frames to the lead, and returns their memory, bytes.
func (l *lead) add(s *Store, frames []replay.Frame) (size int64) {
	if len(frames) == 0 {
		return 0
	}
	p := &page{frames: frames}
	packed := s.pack(p, l.streams)
	l.chunks = append(l.chunks, packed.chunks...)
	for i := range frames {
		l.next[frames[i].Stream.StreamID] = frames[i].Seq + 1
	}
	l.last = frames[len(frames)-1].Position()
	l.last.StreamID = string([]byte(l.last.StreamID))
	return packed.size() + int64(48*len(packed.chunks))
}

// leadReader returns the frames of the lead, and then the frames after it from ClickHouse.
type leadReader struct {
	tape  *tape
	query replay.Query
	grant *budget.Grant

	lead    *lead                 // nil until the first call of Next
	streams []*schema.StreamState // of the tape, in the order of the lead's
	next    int                   // index of the next chunk
	window  *page
	rest    replay.Reader // nil while the lead has frames
}

// Next implements replay.Reader.
func (r *leadReader) Next(ctx context.Context) ([]replay.Frame, error) {
	if r.lead == nil {
		if err := r.begin(ctx); err != nil {
			return nil, err
		}
	}
	for r.rest == nil {
		if r.next == len(r.lead.chunks) {
			if r.lead.complete {
				return nil, io.EOF
			}
			r.follow()
			break
		}
		frames, err := r.chunk()
		if err != nil || len(frames) > 0 {
			return frames, err
		}
	}
	return r.rest.Next(ctx)
}

// begin gets the lead.
func (r *leadReader) begin(ctx context.Context) error {
	l, err := r.tape.lead(ctx)
	if err != nil {
		return err
	}
	r.lead, r.streams = l, slices.Clone(l.streams)
	for i, s := range r.streams {
		if own := replay.StreamOf(r.tape, s.StreamID); own != nil {
			r.streams[i] = own
		}
	}
	var ok bool
	if r.window, ok = r.tape.store.windows.Get().(*page); !ok {
		r.window = &page{}
	}
	return nil
}

// chunk returns the frames of the next chunk that the query selects.
func (r *leadReader) chunk() ([]replay.Frame, error) {
	if err := r.lead.chunks[r.next].unpack(r.streams, r.window); err != nil {
		return nil, err
	}
	r.next++
	q := &r.query
	out := r.window.frames[:0]
	for i := range r.window.frames {
		f := &r.window.frames[i]
		at := f.Position()
		if !q.To.IsZero() && at.Compare(q.To) > 0 {
			r.next = len(r.lead.chunks)
			r.rest = ended{}
			break
		}
		if !q.From.Before(at) && q.Filter.Match(&f.Frame) {
			out = append(out, *f)
			if q.Bare {
				out[len(out)-1].Envelope = schema.Envelope{}
			}
		}
	}
	return out, nil
}

// follow begins to read the frames after the lead.
func (r *leadReader) follow() {
	if to := r.query.To; !to.IsZero() && to.Compare(r.lead.last) <= 0 {
		r.rest = ended{}
		return
	}
	q := r.query
	if len(r.lead.chunks) > 0 && !q.From.Before(r.lead.last) {
		next := r.lead.next
		q.From, q.Unseen = replay.Place{}, func(id string) uint64 { return next[id] }
	}
	r.rest = newReader(r.tape, q, r.grant)
}

// Close implements replay.Reader.
func (r *leadReader) Close() error {
	if r.window != nil {
		r.tape.store.windows.Put(r.window)
		r.window = nil
	}
	if r.rest != nil {
		return r.rest.Close()
	}
	return nil
}

// ended is a reader without further frames.
type ended struct{}

func (ended) Next(context.Context) ([]replay.Frame, error) { return nil, io.EOF }
func (ended) Close() error                                 { return nil }
