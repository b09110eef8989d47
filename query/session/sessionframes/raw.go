package sessionframes

import (
	"context"
	"fmt"

	"tapedeck/internal/budget"
	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/schema"
)

const (
	rawWindowRows  = 1 << 16
	rawWindowBytes = 8 << 20
)

// RawFrame is a frame's recorded bytes with its position.
type RawFrame struct {
	Stream    string
	Direction string
	Transport schema.Transport
	Raw       string
}

// ReadRaw passes the recorded bytes of a session's frames to yield, one frame at a time, in order,
// from after the query's position to the end. It ignores the query's limit. It stops at the first
// error of yield and returns it. It holds one window of frames in memory, however long the session
// is, and no statement stays open on the server while yield blocks.
func ReadRaw(ctx context.Context, r *query.Reader, q Query, yield func(f *RawFrame) error) error {
	s, err := sessionstreams.Kept(ctx, r, q.Tenant, q.Session)
	if err != nil {
		return err
	}
	w := newWindows(q.Tenant, r, s, &q.Filter, q.After)
	w.rows, w.bytes, w.shape.Raw = rawWindowRows, rawWindowBytes, true
	grant := budget.Of(ctx)
	charged := pageCost(s, rawWindowRows, rawWindowBytes)
	if err := grant.Need(ctx, charged); err != nil {
		return err
	}
	for !w.done {
		a, err := w.next(ctx, rawWindowRows)
		if err != nil {
			return err
		}
		rows, err := query.Ask[frameRow](ctx, r, statements, "frames", w.shape, a)
		if err != nil {
			return err
		}
		read := 0
		for i := range rows {
			read += len(rows[i].Raw)
		}
		grant.Adjust(max(frameCopies*int64(read), charged) - charged)
		charged = max(charged, frameCopies*int64(read))
		var last schema.Position
		if len(rows) > 0 {
			last = rows[len(rows)-1].position()
		}
		whole := len(rows) == rawWindowRows
		if rows, err = viewed(ctx, rows); err != nil {
			return err
		}
		for i := range rows {
			transport, err := schema.ParseTransport(rows[i].Transport)
			if err != nil {
				return fmt.Errorf("frame %s: %w", rows[i].position(), err)
			}
			f := RawFrame{Stream: rows[i].Stream, Direction: rows[i].Direction, Transport: transport, Raw: rows[i].Raw}
			if err := yield(&f); err != nil {
				return err
			}
		}
		w.read(a, last, whole)
	}
	return nil
}
