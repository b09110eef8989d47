package sink

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/schema/block"
)

// piece is one block of a batch.
type piece struct {
	message int // index of the block's message in the batch
	index   int // index of the block in its message
	tenant  string
	entry   block.Entry
	reason  error // why ClickHouse refused the block
}

// isolator separates the blocks that ClickHouse refuses from the other blocks of a batch.
type isolator struct {
	out     *inserter
	from    *batch
	g       gatherer // decodes the blocks for each attempt
	stored  int      // number of blocks that ClickHouse accepted
	refused []piece
}

// isolateRefused stores the blocks of a batch that ClickHouse refused, or had too little memory
// for. It sets aside the blocks that ClickHouse refuses, if ClickHouse accepts any other block: one
// of the same batch, or one that was stored before. Otherwise all messages are delivered again
// later, in other batches. An error means that ClickHouse accepts no blocks at present: then no
// block is set aside, and the caller still has to settle all messages.
func (i *inserter) isolateRefused(ctx context.Context, b *batch) error {
	known, err := i.probeInsert(ctx)
	if err != nil {
		return fmt.Errorf("a block that was stored before is not accepted either: %w", err)
	}
	s := isolator{out: i, from: b, g: gatherer{sink: i.sink, batch: newBatch()}}
	if err := s.try(ctx, s.pieces()); err != nil {
		return err
	}
	if s.stored == 0 && !known && len(s.refused) > 0 {
		i.failed(
			fmt.Errorf("every block is refused, and none was stored before; retrying in %v: %w", ackWait, s.refused[0].reason),
		)
		i.sink.settleAll(b.messages, errUndecided)
		return nil
	}
	kept := make([]error, len(b.messages)) // why a message has to be delivered again
	for _, p := range s.refused {
		m := b.messages[p.message]
		l := letter{entryName(m, p.index), subjectOf(m, p.tenant, p.entry), m.Headers(), p.entry.Data, p.reason}
		kept[p.message] = errors.Join(kept[p.message], i.sink.setAside(ctx, l))
	}
	for n, m := range b.messages {
		i.sink.settle(m, kept[n])
	}
	i.stat.stored(i.log)
	return nil
}

// errUndecided is the reason to redeliver refused blocks when no other block was stored.
var errUndecided = errors.New("it is unknown whether the blocks or the tables are at fault")

// pieces returns the blocks of the batch.
func (s *isolator) pieces() (all []piece) {
	for n, m := range s.from.messages {
		tenant, err := s.g.open(m.Subject(), m.Data())
		if err != nil {
			continue // the block was set aside when the batch was gathered
		}
		for part, e := range s.g.entries {
			all = append(all, piece{message: n, index: part, tenant: tenant, entry: e})
		}
	}
	return all
}

// try stores blocks. If ClickHouse refuses them, or has too little memory for them, it tries each
// half.
func (s *isolator) try(ctx context.Context, pieces []piece) error {
	s.fill(ctx, pieces)
	blocks := s.g.batch.blocks
	if blocks == 0 {
		return nil
	}
	err := s.out.try(ctx, s.g.batch)
	switch {
	case err == nil:
		s.stored += blocks
		storedFrames.Add(float64(s.g.batch.columns.Frames()))
		storedBlocks.Add(float64(blocks))
		return nil
	case !isRefusal(err) && (!isTooMuch(err) || len(pieces) == 1):
		return err
	}
	s.out.close()
	if len(pieces) == 1 {
		pieces[0].reason = err
		s.refused = append(s.refused, pieces[0])
		return nil
	}
	half := len(pieces) / 2
	if err := s.try(ctx, pieces[:half]); err != nil {
		return err
	}
	return s.try(ctx, pieces[half:])
}

// fill decodes blocks into the columns. Undecodable blocks were set aside, and deleted
// ones skipped, when the batch was gathered.
func (s *isolator) fill(ctx context.Context, pieces []piece) {
	b := s.g.batch
	b.reset()
	for _, p := range pieces {
		if s.g.decode(ctx, p.tenant, p.entry.Data, time.Now()) == nil {
			b.blocks++
		}
	}
}

// settleAll settles all messages with the same result.
func (s *Sink) settleAll(messages []jetstream.Msg, kept error) {
	for _, m := range messages {
		s.settle(m, kept)
	}
}
