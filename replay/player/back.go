package player

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"tapedeck/replay"
	"tapedeck/schema"
)

// MostBack is the number of frames that one step can go back.
const MostBack = 10_000

// back moves the player back by n frames and pauses it. The first of these frames is the next frame
// to play. If there are fewer, the next frame is the first frame of the tape. Frames that the
// filter excludes do not count.
func (p *Player) back(ctx context.Context, n int) error {
	here := p.begun
	if p.since > 0 {
		here = replay.Place{Position: p.sum.Last, After: true}
	}
	before, err := p.lastBefore(ctx, here, n+1)
	if err != nil || len(before) == 0 {
		return err
	}
	next := before[max(len(before)-n, 0)]
	if err := p.begin(ctx, replay.Place{Position: next}); err != nil {
		return err
	}
	p.sum.Last = schema.Position{}
	if i := len(before) - n - 1; i >= 0 {
		p.sum.Last = before[i]
		p.clock.start(before[i].At, time.Now())
	}
	return nil
}

// firstLook is the length of the first range before a place that is searched for frames, ns.
const firstLook = int64(100e6)

// lastBefore returns the last frames before a place, at least n if there are as many. Tapes can
// only be read forwards, so it reads up to the place from earlier and earlier starts.
func (p *Player) lastBefore(ctx context.Context, here replay.Place, n int) ([]schema.Position, error) {
	first := replay.FirstAt(p.tape)
	end := min(here.Position.At, replay.LastAt(p.tape))
	if growing, ok := p.tape.(replay.Growing); ok {
		end = min(here.Position.At, max(growing.Edge(), end))
	}
	for look := firstLook; ; look *= 4 {
		from := max(end-look, first)
		found, err := p.between(ctx, from, here)
		if err != nil || len(found) >= n || from == first {
			return found, err
		}
	}
}

// between returns the positions from a recorded time up to a place, in order.
func (p *Player) between(ctx context.Context, from int64, here replay.Place) ([]schema.Position, error) {
	r, err := p.tape.Read(ctx, replay.Query{
		From: replay.Place{Position: schema.Position{At: from}},
		To:   here.Position, Filter: p.opts.Filter, Bare: p.opts.Bare,
	})
	if err != nil {
		return nil, fmt.Errorf("read back from %s: %w", here.Position, err)
	}
	defer r.Close()
	var found []schema.Position
	for {
		frames, err := r.Next(ctx)
		if errors.Is(err, io.EOF) || errors.Is(err, replay.ErrLive) {
			slices.SortFunc(found, schema.Position.Compare) // live frames may be out of order
			return found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read back from %s: %w", here.Position, err)
		}
		for i := range frames {
			if pos := frames[i].Position(); here.Before(pos) {
				found = append(found, pos)
			}
		}
	}
}
