package sink

import (
	"context"
	"fmt"
	"time"

	"tapedeck/schema/block"
)

// gatherer fills one batch while the other is being inserted.
type gatherer struct {
	sink    *Sink
	batch   *batch
	spare   chan *batch // the other batch, when it is free
	decoder block.Decoder
	block   block.Block
	entries []block.Entry // of the message at hand
	ended   bool          // the message at hand told the end of a stream
}

// run gathers until nothing more comes. What was gathered by then is inserted.
func (g *gatherer) run(ctx context.Context, coming <-chan delivery) error {
	// Inserts go on for a moment when ctx ends, so that what was gathered is
	// stored rather than delivered again.
	insertCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	release := context.AfterFunc(ctx, func() { time.AfterFunc(drainTimeout, cancel) })
	defer release()

	when := pace{opts: &g.sink.opts, stored: g.sink.out.latest}
	var at time.Time // when look fires
	look := time.NewTimer(time.Hour)
	look.Stop()
	var free <-chan *batch // the spare batch, once this one is to be stored
	defer func() { g.hand(insertCtx, <-g.spare); <-g.spare }()
	for {
		select {
		case d, open := <-coming:
			switch {
			case !open || d.err != nil && ended(d.err):
				return d.err
			case d.err != nil:
				return fmt.Errorf("next block: %w", d.err)
			}
			if ctx.Err() != nil { // fetched ahead: others store it
				giveBack(d.msg)
				continue
			}
			now := time.Now()
			first := g.batch.blocks == 0
			if first {
				when.begin(now)
			}
			g.add(ctx, d.msg, d.at)
			if g.full() {
				look.Stop()
				free = nil
				g.hand(insertCtx, <-g.spare)
				continue
			}
			when.came(now, g.ended)
			if next := when.next(); free == nil && (first || next.Before(at)) {
				at = next
				look.Reset(time.Until(at))
			}
		case <-look.C:
			if now := time.Now(); !when.ripe(now, g.batch.columns.Frames()) {
				at = when.next()
				look.Reset(at.Sub(now))
				continue
			}
			free = g.spare // the other may still be inserted: go on gathering
		case spare := <-free:
			free = nil
			g.hand(insertCtx, spare)
		}
	}
}

// drainTimeout bounds the last insert when the sink is told to stop.
const drainTimeout = 1500 * time.Millisecond

func (g *gatherer) full() bool {
	o := &g.sink.opts
	return g.batch.columns.Frames() >= o.BatchFrames || g.batch.columns.Bytes() >= o.BatchBytes
}

// hand gives the gathered batch to the inserter and goes on with the spare one,
// which comes back by the channel.
func (g *gatherer) hand(ctx context.Context, spare *batch) {
	full := g.batch
	g.batch = spare
	go func() {
		if full.blocks > 0 {
			g.sink.out.insert(ctx, full)
			g.sink.noteStored()
			full.reset()
		}
		g.spare <- full
	}()
}
