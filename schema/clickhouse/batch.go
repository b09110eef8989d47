package clickhouse

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// Batch collects blocks as columns and inserts them. It is reusable: Reset keeps its memory.
type Batch struct {
	frames   *frameColumns
	streams  *streamColumns
	spans    *spanColumns
	messages *messageColumns
	usage    *usageColumns
	bytes    int
	again    []*proto.ColUInt64 // the column generation of each table; nil for generation 0
	number   uint64             // the generation
}

// NewBatch returns an empty batch for recorded blocks. Their generation is 0, the default of the
// tables.
func NewBatch() *Batch {
	return &Batch{
		frames: newFrameColumns(), streams: newStreamColumns(), spans: newSpanColumns(),
		messages: newMessageColumns(), usage: newUsageColumns(),
	}
}

// NewGeneration returns an empty batch for blocks that were decoded again. generation is higher
// than all earlier ones: the time at which the decoding began, ns.
func NewGeneration(generation uint64) *Batch {
	b := NewBatch()
	b.number = generation
	for _, t := range b.tables() {
		b.again = append(b.again, column(t, "generation", new(proto.ColUInt64)))
	}
	return b
}

// Add appends copies of a block's frames, facts and state for a tenant. It returns an error if the
// block cannot be stored.
func (b *Batch) Add(tenant string, blk *block.Block) error {
	started, err := schema.StreamStarted(blk.State.StreamID)
	if err != nil {
		return err
	}
	b.frames.add(tenant, blk, started)
	b.streams.add(tenant, blk.Session, &blk.State, started)
	for i := range blk.Left {
		b.streams.add(tenant, blk.Left[i].Session, &blk.Left[i].State, started)
	}
	b.spans.addAll(tenant, blk)
	b.messages.addAll(tenant, blk)
	b.usage.addAll(tenant, blk)
	if b.again != nil {
		b.fillGeneration()
	}
	for i := range blk.Frames {
		b.bytes += len(blk.Frames[i].Raw)
	}
	for i := range blk.Facts.Messages {
		b.bytes += len(blk.Facts.Messages[i].Text)
	}
	return nil
}

// fillGeneration appends the generation for the rows that were added.
func (b *Batch) fillGeneration() {
	for i, t := range b.tables() {
		for b.again[i].Rows() < t.rows() {
			b.again[i].Append(b.number)
		}
	}
}

// Frames returns the number of frames in the batch.
func (b *Batch) Frames() int { return b.frames.rows() }

// Bytes returns the number of raw bytes and of bytes of message text in the batch.
func (b *Batch) Bytes() int { return b.bytes }

// Reset empties the batch.
func (b *Batch) Reset() {
	for _, t := range b.tables() {
		t.reset()
	}
	b.bytes = 0
}

// tables returns the tables in the order in which they are written: the frames first, so that no
// fact is visible without its frame, and the streams last, so that everything that a list shows is
// stored.
func (b *Batch) tables() [5]*table {
	return [...]*table{&b.frames.table, &b.spans.table, &b.messages.table, &b.usage.table, &b.streams.table}
}

// Insert writes the batch. After an error any of its rows may be stored; inserting them again
// replaces them.
func (b *Batch) Insert(ctx context.Context, client *ch.Client) error {
	for _, t := range b.tables() {
		if err := t.insert(ctx, client); err != nil {
			return err
		}
	}
	return nil
}

// InsertSideBySide is Insert over two connections: each writes half of the frames; when all frames
// are stored, each writes half of the fact tables; then one writes the streams. worked is the sum
// of the times of both.
func (b *Batch) InsertSideBySide(ctx context.Context, one, two *ch.Client) (worked time.Duration, err error) {
	frames, half := &b.frames.table, b.frames.rows()
	if frames.divisible() {
		half /= 2
	}
	steps := [][2]func() error{
		{
			func() error { return frames.insertRows(ctx, one, 0, half) },
			func() error { return frames.insertRows(ctx, two, half, frames.rows()) },
		},
		{
			func() error { return b.messages.insert(ctx, one) },
			func() error {
				if err := b.spans.insert(ctx, two); err != nil {
					return err
				}
				return b.usage.insert(ctx, two)
			},
		},
		{
			func() error { return b.streams.insert(ctx, one) },
			func() error { return nil },
		},
	}
	for _, step := range steps {
		took, err := sideBySide(step[0], step[1])
		if worked += took; err != nil {
			return worked, err
		}
	}
	return worked, nil
}

// sideBySide runs two functions concurrently and returns the sum of their times.
func sideBySide(one, two func() error) (took time.Duration, err error) {
	var aside sync.WaitGroup
	var other time.Duration
	var otherErr error
	began := time.Now()
	aside.Go(func() {
		otherErr = two()
		other = time.Since(began)
	})
	err = one()
	took = time.Since(began)
	aside.Wait()
	return took + other, errors.Join(err, otherErr)
}
