// Package tapeexport writes tape files of sessions in ClickHouse.
//
// Memory is bounded regardless of the length of a session: a few pages of frames, and the facts of
// one record. A session that is being recorded is written up to the states of its streams at the
// start of the export.
package tapeexport

import (
	"context"
	"errors"
	"fmt"
	"io"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/replay"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
)

// Source reads sessions.
type Source struct {
	db      driver.Conn
	library replay.Library
}

// New returns a source that reads facts from a database, and frames from a library on the same
// database.
func New(db driver.Conn, library replay.Library) *Source { return &Source{db: db, library: library} }

// Session is a stored session to export.
type Session struct {
	source     *Source
	tenant, id string
	tape       replay.Tape
	segments   []schema.StreamState // states of the streams' segments
}

// Find finds a session. The error wraps replay.ErrNoSession if the session does not exist.
func (s *Source) Find(ctx context.Context, tenant, id string) (*Session, error) {
	f := &Session{source: s, tenant: tenant, id: id}
	var err error
	if f.segments, err = f.readSegments(ctx); err != nil {
		return nil, fmt.Errorf("read the streams of session %q: %w", id, err)
	}
	if f.tape, err = s.library.Tape(ctx, tenant, id); err != nil {
		return nil, err
	}
	if len(f.segments) == 0 {
		return nil, fmt.Errorf("session %q: %w", id, replay.ErrNoSession)
	}
	return f, nil
}

// Holds estimates the memory that Write needs, bytes.
func (f *Session) Holds() int64 { return replay.Holds(f.tape) }

// Write writes the session as a tape file, with its notes if notes is set.
func (f *Session) Write(ctx context.Context, to io.Writer, notes bool) error {
	w, err := tapefile.NewWriter(to)
	if err != nil {
		return err
	}
	if err := w.Begin(f.id, f.segments); err != nil {
		return err
	}
	if err := f.writeFrames(ctx, w); err != nil {
		return err
	}
	if err := f.writeFacts(ctx, w); err != nil {
		return err
	}
	if notes {
		if err := f.writeNotes(ctx, w); err != nil {
			return err
		}
	}
	return w.Close()
}

// writeFrames writes the frames that the states of the segments cover.
func (f *Session) writeFrames(ctx context.Context, w *tapefile.Writer) error {
	last := map[string]uint64{}
	var q replay.Query
	for i := range f.segments {
		p := &f.segments[i]
		last[p.StreamID] = max(last[p.StreamID], endOf(p))
		if p.LastAt > q.To.At {
			q.To = schema.Position{At: p.LastAt, StreamID: "\xff", Seq: ^uint64(0)}
		}
	}
	r, err := f.tape.Read(ctx, q)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		frames, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return w.Flush()
		}
		if err != nil {
			return fmt.Errorf("read the frames of session %q: %w", f.id, err)
		}
		for i := range frames {
			if frames[i].Seq >= last[frames[i].Stream.StreamID] {
				continue // the frame arrived since the export began
			}
			if err := w.Add(&frames[i]); err != nil {
				return err
			}
		}
	}
}

// endOf returns the number after a segment's last frame, from its version.
func endOf(p *schema.StreamState) uint64 {
	if end := schema.VersionEnd(p.Version); end >= p.FirstSeq+p.Frames {
		return end
	}
	return ^uint64(0) // the version does not contain it
}
