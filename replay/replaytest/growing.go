package replaytest

import (
	"context"
	"io"
	"slices"
	"time"

	"tapedeck/replay"
	"tapedeck/schema"
)

// Growing is a running session: a tape in memory. Each frame arrives as long after Begin as it was
// added after Start. The session ends with the last frame. Growing is a replay.Growing and a
// replay.Library.
type Growing struct {
	Memory *Tape
	Begin  time.Time
}

// Tape implements replay.Library for the session Session of any tenant.
func (g *Growing) Tape(ctx context.Context, tenant, session string) (replay.Tape, error) {
	if _, err := g.Memory.Tape(ctx, tenant, session); err != nil {
		return nil, err
	}
	return g, nil
}

// Streams implements replay.Tape.
func (g *Growing) Streams() []schema.StreamState {
	streams := slices.Clone(g.Memory.Streams())
	for i := range streams {
		streams[i].LastAt, streams[i].Ended = min(streams[i].LastAt, g.Edge()), 0
	}
	return streams
}

// now returns the current time of the session, on the tape's clock.
func (g *Growing) now() int64 { return Start + int64(time.Since(g.Begin)) }

// Edge implements replay.Growing.
func (g *Growing) Edge() int64 {
	edge := Start
	for _, f := range g.Memory.Frames() {
		if f.At <= g.now() {
			edge = max(edge, f.At)
		}
	}
	return edge
}

// AsOf implements replay.Growing. Every frame is known as soon as it arrives.
func (g *Growing) AsOf() int64 { return max(g.Edge(), g.now()) }

// Facts implements replay.Tape. It returns the facts of the whole tape.
func (g *Growing) Facts(ctx context.Context, q replay.FactQuery) (replay.Facts, error) {
	return g.Memory.Facts(ctx, q)
}

// Read implements replay.Tape.
func (g *Growing) Read(ctx context.Context, q replay.Query) (replay.Reader, error) {
	if q.From.Live {
		q.From = replay.Place{Position: schema.Position{At: g.now() + 1}}
	}
	r, err := g.Memory.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	return &growingReader{reader: r.(*reader), tape: g}, nil
}

type growingReader struct {
	*reader
	tape     *Growing
	liveSent bool
}

// Next implements replay.Reader. It returns one frame at a time.
func (r *growingReader) Next(ctx context.Context) ([]replay.Frame, error) {
	if len(r.frames) == 0 {
		return nil, io.EOF
	}
	wait := time.Duration(r.frames[0].At - r.tape.now())
	if wait > 0 && !r.liveSent {
		r.liveSent = true
		return nil, replay.ErrLive
	}
	select {
	case <-time.After(max(wait, 0)):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	r.liveSent, r.query.Few = false, true
	return r.reader.Next(ctx)
}
