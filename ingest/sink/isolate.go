package sink

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	reason  error // why the block was not stored
}

// isolator separates the blocks that ClickHouse refuses from the other blocks of a batch.
type isolator struct {
	out     *inserter
	from    *batch
	known   bool     // ClickHouse accepts a block that was stored before
	g       gatherer // decodes the blocks for each attempt
	stored  int      // number of blocks that ClickHouse accepted
	refused []piece
	tooMuch []piece // single blocks for which ClickHouse had too little memory
	away    []piece // blocks that cannot be tried: most likely, their shards went away since the batch was gathered
}

// isolateRefused stores the blocks of a batch that ClickHouse refused, or had too little memory
// for. It sets aside the blocks that ClickHouse refuses, if ClickHouse accepts any other block: one
// of the same batch, or one that was stored before. Otherwise all messages are delivered again
// later, in other batches. A block for which ClickHouse has too little memory while it accepts others
// is delivered again later, and set aside after tooMuchTries deliveries. An error means that
// ClickHouse accepts no blocks at present: then no block is set aside, and the caller still has to
// settle all messages.
func (i *inserter) isolateRefused(ctx context.Context, b *batch) error {
	known, err := i.probeInsert(ctx)
	if err != nil {
		return fmt.Errorf("a block that was stored before is not accepted either: %w", err)
	}
	s := isolator{out: i, from: b, known: known, g: gatherer{sink: i.sink, shards: i.sink.shards, batch: newBatch()}}
	if err := s.try(ctx, s.pieces()); err != nil {
		return err
	}
	if failed := append(slices.Clone(s.refused), s.tooMuch...); s.undecided() && len(failed) > 0 {
		i.failed(
			fmt.Errorf("every block is refused, and there is no stored one to compare with; retrying in %v: %w", ackWait, failed[0].reason),
		)
		i.sink.settleAll(b.messages, errUndecided)
		return nil
	}
	later := make([]bool, len(b.messages)) // the message is delivered again, later each time
	for _, p := range s.away {
		later[p.message] = true
	}
	for _, p := range s.tooMuch {
		if deliveries(b.messages[p.message]) > tooMuchTries {
			s.refused = append(s.refused, p)
			continue
		}
		i.log.Warn("sink: ClickHouse has too little memory for a block, trying again later", "subject", b.messages[p.message].Subject(), "error", p.reason)
		later[p.message] = true
	}
	kept := make([]error, len(b.messages)) // why a message has to be delivered again
	for _, p := range s.refused {
		m := b.messages[p.message]
		l := letter{entryName(m, p.index), subjectOf(m, p.tenant, p.entry), m.Headers(), p.entry.Data, p.reason}
		kept[p.message] = errors.Join(kept[p.message], i.sink.setAside(ctx, l))
	}
	for n, m := range b.messages {
		if later[n] {
			deliverLater(m)
			continue
		}
		i.sink.settle(m, kept[n])
	}
	i.stat.stored(i.log)
	return nil
}

// undecided reports whether it is unknown if ClickHouse accepts any block.
func (s *isolator) undecided() bool { return s.stored == 0 && !s.known }

// mostTooMuch is the number of single blocks for which ClickHouse may have too little memory before the
// other blocks are not tried, if it is unknown whether ClickHouse accepts any block.
const mostTooMuch = 8

// tooMuchTries is how often a message is returned for which ClickHouse has too little memory: for about
// a quarter of an hour, see deliverLater.
const tooMuchTries = 18

// errUndecided is the reason to redeliver refused blocks when no other block was stored.
var errUndecided = errors.New("it is unknown whether the blocks or the tables are at fault")

// pieces returns the blocks of the batch, without those that were set aside or published again when it
// was gathered.
func (s *isolator) pieces() (all []piece) {
	for n, m := range s.from.messages {
		tenant, err := s.g.open(m.Subject(), m.Data())
		if err != nil {
			continue // it is not in the batch
		}
		for part, e := range s.g.entries {
			if slices.Contains(s.from.omitted[n], part) {
				continue
			}
			all = append(all, piece{message: n, index: part, tenant: tenant, entry: e})
		}
	}
	return all
}

// try stores blocks. If ClickHouse refuses them, or has too little memory for them, it tries each
// half.
func (s *isolator) try(ctx context.Context, pieces []piece) error {
	if s.undecided() && len(s.tooMuch) >= mostTooMuch {
		return nil
	}
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
	case !isRefusal(err) && !isTooMuch(err):
		return err
	}
	s.out.close()
	if len(pieces) == 1 {
		pieces[0].reason = err
		if isRefusal(err) {
			s.refused = append(s.refused, pieces[0])
		} else {
			s.tooMuch = append(s.tooMuch, pieces[0])
		}
		return nil
	}
	half := len(pieces) / 2
	if err := s.try(ctx, pieces[:half]); err != nil {
		return err
	}
	return s.try(ctx, pieces[half:])
}

// fill decodes blocks into the columns. Deleted ones are skipped. Blocks that cannot be decoded, or whose
// shards are away, are left out and delivered again.
func (s *isolator) fill(ctx context.Context, pieces []piece) {
	b := s.g.batch
	b.reset()
	for _, p := range pieces {
		err := s.g.decode(ctx, p.tenant, p.entry.Data, time.Now())
		switch {
		case err == nil:
			b.blocks++
		case !errors.Is(err, errDeleted):
			s.away = append(s.away, p)
		}
	}
}

// settleAll settles all messages with the same result.
func (s *Sink) settleAll(messages []jetstream.Msg, kept error) {
	for _, m := range messages {
		s.settle(m, kept)
	}
}
