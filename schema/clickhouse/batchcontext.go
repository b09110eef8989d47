package clickhouse

import (
	"context"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// batches is a pool of connections whose batches outlive the context that they were sent with.
//
// The driver watches the context of a batch while it sends, in a goroutine that chooses at random
// if it finds both that the batch was sent and that the context has ended, and then closes the
// connection, which the pool has handed out again. Callers end their contexts when they return, so on a
// machine whose processors are busy another statement failed with "use of closed network connection".
// The context of a batch here ends with that of the caller until the batch was sent, and not after.
type batches struct{ driver.Conn }

// PrepareBatch begins a batch.
func (c batches) PrepareBatch(ctx context.Context, query string, opts ...driver.PrepareBatchOption) (driver.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	keep := context.AfterFunc(ctx, cancel)
	sent, err := c.Conn.PrepareBatch(batchContext{own, ctx}, query, opts...)
	if err != nil {
		keep()
		cancel() // no batch has it
		return nil, err
	}
	return batch{sent, keep}, nil
}

// batchContext has the deadline of the caller's context, and ends as the other one does.
type batchContext struct {
	context.Context
	caller context.Context
}

// Deadline returns the deadline of the caller's context.
func (c batchContext) Deadline() (time.Time, bool) { return c.caller.Deadline() }

// Err returns the error of the caller's context if that ended the batch.
func (c batchContext) Err() error {
	if c.Context.Err() == nil {
		return nil
	}
	return c.caller.Err()
}

// batch keeps its context when it is over.
type batch struct {
	driver.Batch
	keep func() bool
}

// Send sends the rows and ends the batch.
func (b batch) Send() error {
	defer b.keep()
	return b.Batch.Send()
}

// Abort ends the batch without its rows.
func (b batch) Abort() error {
	defer b.keep()
	return b.Batch.Abort()
}

// Close ends the batch if it was not sent.
func (b batch) Close() error {
	defer b.keep()
	return b.Batch.Close()
}
