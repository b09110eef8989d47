package clickhouse

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// watched is a pool that keeps the context of its last batch, as the driver does while it sends.
type watched struct {
	driver.Conn
	ctx context.Context
}

func (w *watched) PrepareBatch(ctx context.Context, _ string, _ ...driver.PrepareBatchOption) (driver.Batch, error) {
	w.ctx = ctx
	return unsent{}, ctx.Err()
}

type unsent struct{ driver.Batch }

func (unsent) Send() error  { return nil }
func (unsent) Abort() error { return nil }
func (unsent) Close() error { return nil }

// The context of a batch ends with the caller's until the batch is over, and not after.
func TestBatchContext(t *testing.T) {
	for name, end := range map[string]func(driver.Batch) error{
		"": nil, "sent": driver.Batch.Send, "aborted": driver.Batch.Abort, "closed": driver.Batch.Close,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pool := &watched{}
				caller, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				b, err := batches{pool}.PrepareBatch(caller, "INSERT")
				if err != nil {
					t.Fatal(err)
				}
				at, ok := pool.ctx.Deadline()
				if want, _ := caller.Deadline(); !ok || !at.Equal(want) {
					t.Errorf("deadline %v, %t", at, ok)
				}
				if end != nil {
					if err := end(b); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(2 * time.Minute) // of virtual time: beyond the deadline
				synctest.Wait()
				if err := pool.ctx.Err(); (err == nil) != (end != nil) || err != nil && err != context.DeadlineExceeded {
					t.Errorf("%q: the batch's context ended with %v", name, err)
				}
			})
		})
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (batches{&watched{}}).PrepareBatch(ended, "INSERT"); err != context.Canceled {
		t.Errorf("a batch of a context that has ended: %v", err)
	}
}
