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

	var due time.Time // when age fires
	settled := false  // due stands, however much comes
	age := time.NewTimer(time.Hour)
	age.Stop()
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
			if g.batch.blocks == 0 {
				due, settled = time.Now().Add(g.patience(restPerInsert)), false
				age.Reset(time.Until(due))
			}
			g.add(ctx, d.msg)
			if g.full() {
				age.Stop()
				g.hand(insertCtx, <-g.spare)
				continue
			}
			if !g.ended {
				continue
			}
			// Somebody waits for the end: it is stored sooner. Ends that keep coming
			// do not put it off.
			settled = true
			if sooner := time.Now().Add(g.patience(restBeforeEnd)); sooner.Before(due) {
				due = sooner
				age.Reset(time.Until(due))
			}
		case <-age.C:
			if !settled && g.batch.columns.Frames() >= g.sink.opts.BatchFrames/bulk {
				settled = true
				due = time.Now().Add(g.sink.opts.BatchPace)
				age.Reset(g.sink.opts.BatchPace)
				continue
			}
			select {
			case spare := <-g.spare:
				g.hand(insertCtx, spare)
			default: // the other is still being inserted: go on gathering
				age.Reset(g.sink.opts.BatchAge / 4)
			}
		}
	}
}

// bulk is the part of a batch, one in so many, from which on it is a load rather
// than something that somebody follows: it is gathered for longer, since few large
// inserts leave ClickHouse less to merge.
const bulk = 6

// How long the sink rests for the time that an insert took, and where the end of
// a stream waits.
const (
	restPerInsert = 4
	restBeforeEnd = 1
)

// patience is how long a batch is gathered from now on, if it does not fill. rest
// is how many times as long as the latest insert took the sink rests after it.
func (g *gatherer) patience(rest time.Duration) time.Duration {
	o := &g.sink.opts
	ended, took := g.sink.out.latest()
	return max(o.BatchAge, min(time.Until(ended.Add(rest*took)), o.BatchPace))
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
			full.reset()
		}
		g.spare <- full
	}()
}
