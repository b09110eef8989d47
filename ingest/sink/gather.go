package sink

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/schema/block"
)

// gatherer fills one batch while the other is being inserted.
type gatherer struct {
	sink *Sink
	out  *inserter
	// after, if set, is called before an insert and waits until earlier messages are stored.
	after   func(context.Context, []jetstream.Msg) error
	shards  *shards // those whose blocks are left out while they are away; nil to leave out none
	batch   *batch
	spare   chan *batch // receives the other batch when it is free
	decoder block.Decoder
	block   block.Block
	entries []block.Entry // entries of the current message
	ended   bool          // the current message holds the end of a stream
}

// newGatherer returns a gatherer that passes its batches to an inserter.
func newGatherer(s *Sink, out *inserter) *gatherer {
	g := &gatherer{sink: s, out: out, shards: s.shards, batch: newBatch(), spare: make(chan *batch, 1)}
	g.spare <- newBatch()
	return g
}

// run gathers messages until coming is closed, and inserts what was gathered by then.
func (g *gatherer) run(ctx context.Context, coming <-chan delivery) {
	// Inserts may continue for a while after ctx ends, so that gathered messages are stored and not
	// delivered again.
	insertCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	release := context.AfterFunc(ctx, func() { time.AfterFunc(drainTimeout, cancel) })
	defer release()

	when := batchDelay{opts: &g.sink.opts, bulk: g.out == g.sink.bulk, stored: g.out.latest}
	var at time.Time // time at which timer fires
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	idle := time.NewTimer(releaseAfter)
	defer idle.Stop()
	var free <-chan *batch // receives the spare batch once the current one is to be stored
	defer func() { g.handOver(insertCtx, <-g.spare); <-g.spare }()
	for {
		select {
		case d, open := <-coming:
			if !open {
				return
			}
			if ctx.Err() != nil { // fetched ahead: return it, other sinks store it
				returnMessages(d.msg)
				continue
			}
			now := time.Now()
			idle.Reset(releaseAfter)
			tenant, ok := g.examine(ctx, d.msg)
			if ok && g.overflows() {
				timer.Stop()
				free = nil
				g.handOver(insertCtx, <-g.spare)
			}
			first := g.batch.blocks == 0
			if first {
				when.begin(now)
			}
			if ok {
				g.addBlocks(ctx, d.msg, tenant, d.at)
			}
			if g.full() {
				timer.Stop()
				free = nil
				g.handOver(insertCtx, <-g.spare)
				continue
			}
			when.added(now, g.ended)
			if free == nil && when.enough(g.batch.held) {
				timer.Stop()
				free = g.spare // continue gathering until the insert of the other batch has ended
				continue
			}
			if next := when.next(); free == nil && (first || next.Before(at)) {
				at = next
				timer.Reset(time.Until(at))
			}
		case <-timer.C:
			if now := time.Now(); !when.isDue(now, g.batch.columns.Frames(), g.batch.held) {
				at = when.next()
				timer.Reset(at.Sub(now))
				continue
			}
			free = g.spare // the other batch may still be in an insert: continue gathering
		case spare := <-free:
			free = nil
			g.handOver(insertCtx, spare)
		case <-idle.C:
			if !g.release() {
				idle.Reset(releaseAfter)
			}
		}
	}
}

// releaseAfter is the time without messages after which the gatherer releases its memory.
const releaseAfter = 5 * time.Second

// release frees the memory of the columns and of the decoder, which is as large as the largest
// batch so far. It returns false if a batch is being gathered or inserted.
func (g *gatherer) release() bool {
	select {
	case <-g.spare:
	default:
		return false
	}
	defer func() { g.spare <- newBatch() }()
	if g.batch.blocks > 0 {
		return false
	}
	g.batch = newBatch()
	g.decoder, g.block, g.entries = block.Decoder{}, block.Block{}, nil
	return true
}

// drainTimeout bounds the last insert after ctx has ended.
const drainTimeout = 1500 * time.Millisecond

// batchMessages is the number of message bytes that fill a batch. It bounds the memory for frames
// that do not compress, which are held both in messages and in columns.
func (o *Options) batchMessages() int { return o.BatchBytes / 2 }

// full reports whether the batch is to be stored.
func (g *gatherer) full() bool {
	o := &g.sink.opts
	return g.batch.columns.Frames() >= o.BatchFrames || g.batch.columns.Bytes() >= o.BatchBytes ||
		g.batch.held >= o.batchMessages()
}

// overflows reports whether the batch is to be stored before the examined message is added, so that an insert is
// larger than BatchBytes by one message only if that message is as large by itself.
func (g *gatherer) overflows() bool {
	return g.batch.blocks > 0 && g.batch.columns.Bytes()+unpackedSize(g.entries) > g.sink.opts.BatchBytes
}

// handOver passes the full batch to the inserter and continues with the spare one. The inserter
// returns the full batch through the channel.
func (g *gatherer) handOver(ctx context.Context, spare *batch) {
	full := g.batch
	g.batch = spare
	go func() {
		if full.blocks > 0 {
			if g.after != nil {
				_ = g.after(ctx, full.messages) // insert returns the messages if ctx has ended
			}
			g.out.insert(ctx, full)
			g.sink.noteStored()
			full.reset()
		}
		g.spare <- full
	}()
}
