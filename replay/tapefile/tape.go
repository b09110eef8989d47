package tapefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sort"
	"time"

	"tapedeck/replay"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// tape is one session of a file.
type tape struct {
	file    *File
	id      string
	streams []schema.StreamState
}

// Tape implements replay.Library. It ignores the tenant, since files have none.
func (f *File) Tape(_ context.Context, _, id string) (replay.Tape, error) {
	parts, err := f.Parts(id)
	if err != nil {
		return nil, fmt.Errorf("read the streams of session %q: %w", id, err)
	}
	t := &tape{file: f, id: id, streams: streamsOf(parts)}
	if len(t.streams) == 0 {
		return nil, fmt.Errorf("session %q: %w", id, replay.ErrNoSession)
	}
	return t, nil
}

// Streams implements replay.Tape.
func (t *tape) Streams() []schema.StreamState { return t.streams }

// Read implements replay.Tape.
func (t *tape) Read(_ context.Context, q replay.Query) (replay.Reader, error) {
	s, _, _ := t.file.session(t.id)
	r := &reader{tape: t, query: q, records: recordReader{file: t.file.file}, entries: s.frames}
	r.at = sort.Search(len(r.entries), func(i int) bool { return !q.From.Before(r.entries[i].Last) })
	r.know(t.streams)
	return r, nil
}

// Facts implements replay.Tape. A file that was cut off has no facts, since they are written after
// the frames.
func (t *tape) Facts(_ context.Context, q replay.FactQuery) (replay.Facts, error) {
	set := replay.NewFactSet(q)
	err := t.file.Facts(t.id, func(b *block.Block) error {
		set.Add(b.State.StreamID, &b.Facts)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the facts of session %q: %w", t.id, err)
	}
	return set.Facts(), nil
}

// reader returns the frames of a session, one record at a time.
type reader struct {
	tape    *tape
	query   replay.Query
	records recordReader
	entries []entry
	at      int // index of the next frame

	streams  map[string]*schema.StreamState
	decoders []block.Decoder // one per block of a record, since the frames alias their memory
	blocks   []block.Block
	frames   []replay.Frame
}

func (r *reader) know(streams []schema.StreamState) {
	r.streams = make(map[string]*schema.StreamState, len(streams))
	for i := range streams {
		r.streams[streams[i].StreamID] = &streams[i]
	}
}

// Next implements replay.Reader.
func (r *reader) Next(ctx context.Context) ([]replay.Frame, error) {
	for {
		if r.at == len(r.entries) {
			if err := r.more(ctx); err != nil {
				return nil, err
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		e := &r.entries[r.at]
		if !r.query.To.IsZero() && e.First.Compare(r.query.To) > 0 {
			return nil, io.EOF
		}
		r.at++
		if err := r.load(e); err != nil {
			return nil, err
		}
		if len(r.frames) > 0 {
			return r.frames, nil
		}
	}
}

// more reads the new entries of a growing file. If there are none, the error is io.EOF, unless the
// file is followed.
func (r *reader) more(ctx context.Context) error {
	f := r.tape.file
	for {
		complete, _ := f.ended()
		if !complete {
			if err := f.Refresh(); err != nil {
				return err
			}
		}
		s, last, _ := f.session(r.tape.id)
		if r.entries = s.frames; r.at < len(r.entries) {
			return nil
		}
		complete, broken := f.ended()
		if complete || !last || len(s.facts) > 0 { // the facts are written after the frames
			return io.EOF
		}
		if !errors.Is(broken, ErrCut) {
			return broken
		}
		if !f.opts.Follow {
			return io.EOF
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(followEvery):
		}
	}
}

// load reads the frames of a record that match the query.
func (r *reader) load(e *entry) error {
	body, err := r.records.read(e)
	if err != nil {
		return err
	}
	n := 0
	r.frames = r.frames[:0]
	err = eachBlock(body, func(p []byte) error {
		if n == len(r.blocks) {
			r.blocks, r.decoders = append(r.blocks, block.Block{}), append(r.decoders, block.Decoder{})
		}
		blk := &r.blocks[n]
		if err := r.decoders[n].Decode(p, blk); err != nil {
			return e.broken(fmt.Errorf("%w: %w", ErrDamaged, err))
		}
		n++
		stream, err := r.stream(blk.State.StreamID)
		if err != nil || stream == nil {
			return errors.Join(err,
				e.broken(fmt.Errorf("%w: frames of stream %q, which has no state", ErrDamaged, blk.State.StreamID)))
		}
		r.choose(blk.Frames, stream)
		return nil
	})
	if n > 1 {
		sort.Sort(byPosition(r.frames))
	}
	return err
}

// choose keeps the frames that match the query.
func (r *reader) choose(frames []schema.Frame, stream *schema.StreamState) {
	q := &r.query
	for i := range frames {
		f := replay.Frame{Frame: frames[i], Stream: stream}
		pos := f.Position()
		if q.From.Before(pos) || !q.To.IsZero() && pos.Compare(q.To) > 0 || !q.Filter.Match(&f.Frame) {
			continue
		}
		r.frames = append(r.frames, f)
	}
}

// stream returns the stream with an id. It searches the file for streams that were added after the
// tape was opened.
func (r *reader) stream(id string) (*schema.StreamState, error) {
	if s := r.streams[id]; s != nil {
		return s, nil
	}
	parts, err := r.tape.file.Parts(r.tape.id)
	if err != nil {
		return nil, err
	}
	r.know(streamsOf(parts))
	return r.streams[id], nil
}

// Close implements replay.Reader.
func (r *reader) Close() error { return nil }

type byPosition []replay.Frame

func (b byPosition) Len() int           { return len(b) }
func (b byPosition) Less(i, j int) bool { return b[i].Position().Compare(b[j].Position()) < 0 }
func (b byPosition) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
