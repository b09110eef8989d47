package clickhouse_test

import (
	"context"
	"runtime"
	"sync"
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
	stop := make(chan struct{})
	var busy sync.WaitGroup
	for range 8 * runtime.GOMAXPROCS(0) {
		busy.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	defer busy.Wait()
	defer close(stop)
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
