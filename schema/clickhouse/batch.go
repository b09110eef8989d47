package clickhouse

import (
	"context"
	"fmt"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// Batch gathers blocks as columns and inserts them. It is reused: Reset keeps
// the memory.
type Batch struct {
	frames   *frameColumns
	streams  *streamColumns
	spans    *spanColumns
	messages *messageColumns
	usage    *usageColumns
	bytes    int
	again    []*proto.ColUInt64 // a column generation for each table; nil for generation 0
	number   uint64             // the generation
}

// NewBatch makes an empty batch for what the recorder tells: generation 0, which
// the tables fill in.
func NewBatch() *Batch {
	return &Batch{
		frames: newFrameColumns(), streams: newStreamColumns(), spans: newSpanColumns(),
		messages: newMessageColumns(), usage: newUsageColumns(),
	}
}

// NewGeneration makes an empty batch for what was decoded anew. generation is
// higher than any before: the time at which that began, ns.
func NewGeneration(generation uint64) *Batch {
	b := NewBatch()
	b.number = generation
	for _, t := range b.tables() {
		b.again = append(b.again, column(t, "generation", new(proto.ColUInt64)))
	}
	return b
}

// Add appends a block's frames, facts and state for the given tenant, copying
// all of it. The error is for a block that cannot be stored.
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

// fillGeneration names the generation of the rows that were added.
func (b *Batch) fillGeneration() {
	for i, t := range b.tables() {
		for b.again[i].Rows() < t.rows() {
			b.again[i].Append(b.number)
		}
	}
}

// Frames is the number of frames in the batch.
func (b *Batch) Frames() int { return b.frames.rows() }

// Bytes is the number of raw bytes and of message text in the batch.
func (b *Batch) Bytes() int { return b.bytes }

// Reset empties the batch.
func (b *Batch) Reset() {
	for _, t := range b.tables() {
		t.reset()
	}
	b.bytes = 0
}

// tables gives the tables in the order in which they are written: the streams
// last, so that what a list shows is there.
func (b *Batch) tables() [5]*table {
	return [...]*table{&b.frames.table, &b.spans.table, &b.messages.table, &b.usage.table, &b.streams.table}
}

// Insert writes the batch. token names its content: the server drops an insert
// whose token it has seen while its window lasts, whatever the content; one that
// is repeated later replaces itself.
func (b *Batch) Insert(ctx context.Context, client *ch.Client, token string) error {
	for _, t := range b.tables() {
		if t.rows() == 0 {
			continue
		}
		err := client.Do(ctx, ch.Query{
			Body:  t.input.Into(t.name),
			Input: t.input,
			Settings: []ch.Setting{
				{Key: "insert_deduplication_token", Value: token, Important: true},
				// A block may hold facts of any number of months.
				{Key: "throw_on_max_partitions_per_insert_block", Value: "0", Important: true},
				// Readers drop repeats anyway, so inserts need not look for them.
				{Key: "optimize_on_insert", Value: "0", Important: true},
			},
		})
		if err != nil {
			return fmt.Errorf("insert %d rows into %s: %w", t.rows(), t.name, err)
		}
	}
	return nil
}
