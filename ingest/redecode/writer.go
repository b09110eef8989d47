package redecode

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/ch-go"

	"tapedeck/schema/block"
	"tapedeck/schema/clickhouse"
)

// Bounds of one insert.
const (
	batchFrames = 50_000
	batchBytes  = 16 << 20
	insertLimit = time.Minute // for one insert
)

// writer stores blocks of a new generation.
type writer struct {
	client          *ch.Client
	tenant, session string
	generation      uint64
	batch           *clickhouse.Batch
	blocks          int // number of blocks in the batch
}

func newWriter(client *ch.Client, tenant, session string, generation uint64) *writer {
	return &writer{
		client: client, tenant: tenant, session: session, generation: generation, batch: clickhouse.NewGeneration(generation),
	}
}

// add adds a copy of a block.
func (w *writer) add(ctx context.Context, b *block.Block) error {
	if err := w.batch.Add(w.tenant, b); err != nil {
		return err
	}
	w.blocks++
	if w.batch.Frames() >= batchFrames || w.batch.Bytes() >= batchBytes {
		return w.flush(ctx)
	}
	return nil
}

// flush stores the added blocks.
func (w *writer) flush(ctx context.Context) error {
	if w.blocks == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, insertLimit,
		fmt.Errorf("ClickHouse did not store it within %v", insertLimit))
	defer cancel()
	if err := w.batch.Insert(ctx, w.client); err != nil {
		return err
	}
	w.batch.Reset()
	w.blocks = 0
	return nil
}
