package clickhouse_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema/clickhouse"
)

// The end of the context of an insert that was stored closes no connection of the pool.
func TestBatchContextUnderLoad(t *testing.T) {
	fulltest.Long(t)
	db, err := clickhouse.Open(localtest.ClickHouse(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Exec(t.Context(), "CREATE TABLE batch_context (n UInt64) ENGINE = Null"); err != nil {
		t.Fatal(err)
	}
	var stopped atomic.Bool
	var busy sync.WaitGroup
	for range 8 * runtime.GOMAXPROCS(0) {
		busy.Go(func() {
			for !stopped.Load() {
			}
		})
	}
	defer busy.Wait()
	defer stopped.Store(true)
	insert := func() error {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		batch, err := db.PrepareBatch(ctx, "INSERT INTO batch_context (n)")
		if err != nil {
			return err
		}
		defer batch.Close()
		if err := batch.Append(uint64(1)); err != nil {
			return err
		}
		return batch.Send()
	}
	for i := range 200 {
		if err := insert(); err != nil {
			t.Fatalf("insert %d: %v", i, err)
		}
	}
}
