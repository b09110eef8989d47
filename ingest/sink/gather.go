package sink

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	stream "tapedeck/ingest/jetstream"
	"tapedeck/schema/block"
)

// gatherer fills one batch while the other is being inserted.
type gatherer struct {
	sink    *Sink
	batch   *batch
	spare   chan *batch // the other batch, when it is free
	decoder block.Decoder
	block   block.Block
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
			if len(g.batch.messages) == 0 {
				due, settled = time.Now().Add(g.patience(restPerInsert)), false
				age.Reset(time.Until(due))
			}
			g.add(ctx, d.msg)
			if g.full() {
				age.Stop()
				g.hand(insertCtx, <-g.spare)
				continue
			}
			if g.block.State.Ended == 0 {
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
		if len(full.messages) > 0 {
			g.sink.out.insert(ctx, full)
			full.reset()
		}
		g.spare <- full
	}()
}

// add decodes a block into the batch. One that cannot be read is set aside.
func (g *gatherer) add(ctx context.Context, m jetstream.Msg) {
	err := g.decode(m)
	switch {
	case errors.Is(err, block.ErrVersion):
		// Another sink, of a later version, can store it: leave it to that one.
		g.sink.log.Warn("sink: a block of a later version, left for a sink that reads it", "error", err)
		_ = m.NakWithDelay(ackWait) // lost, it is delivered again all the same
	case err != nil:
		g.sink.bury(ctx, m, err)
	default:
		g.batch.messages = append(g.batch.messages, m)
	}
}

func (g *gatherer) decode(m jetstream.Msg) error {
	// The tenant is what the subject says: that was set by who checked the token.
	tenant, err := ingest.SubjectTenant(m.Subject())
	if err != nil {
		return err
	}
	if err := g.decoder.Decode(m.Data(), &g.block); err != nil {
		return err
	}
	return g.batch.columns.Add(tenant, &g.block)
}

// bury puts a block that cannot be stored into the dead-letter stream, with the
// reason, so that the rest flows on. Should even that fail, the block is
// delivered again later.
func (s *Sink) bury(ctx context.Context, m jetstream.Msg, reason error) {
	dead := &nats.Msg{Subject: stream.DeadSubject, Data: m.Data(), Header: nats.Header{
		stream.HeaderReason:  {reason.Error()},
		stream.HeaderSubject: {m.Subject()},
	}}
	_, err := s.js.PublishMsg(ctx, dead)
	if err == nil {
		err = m.Ack()
	}
	if err != nil {
		s.log.Error("sink: a block cannot be stored, nor set aside", "subject", m.Subject(), "reason", reason, "error", err)
		_ = m.NakWithDelay(ackWait) // lost, it is delivered again all the same
		return
	}
	deadBlocks.Inc()
	s.log.Error("sink: set a block aside that cannot be stored", "subject", m.Subject(), "reason", reason)
}
