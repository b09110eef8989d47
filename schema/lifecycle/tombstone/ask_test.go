package tombstone

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// counted counts queries.
type counted struct {
	driver.Conn
	queries atomic.Int64
}

func (c *counted) Query(ctx context.Context, query string, args ...any) (driver.Rows, error) {
	c.queries.Add(1)
	return c.Conn.Query(ctx, query, args...)
}

// Those who ask at once share reads, and each learns of a deletion that another server wrote
// before.
func TestAskTogether(t *testing.T) {
	conn := &counted{Conn: open(t)}
	set, other := NewSet(NewStore(conn)), NewStore(conn.Conn)
	name := func(i int) Key { return Key{Tenant: "acme", Session: fmt.Sprintf(`it's "%d", \ and so on`, i)} }
	for i := 0; i < 40; i += 2 {
		if _, err := other.Put(t.Context(), name(i)); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range 1000 {
		all.Go(func() {
			<-start
			of := name(i % 40)
			if err := set.Ask(t.Context(), of); err != nil {
				t.Error(err)
			}
			set.mu.Lock()
			defer set.mu.Unlock()
			if got := set.lookup(of) != nil; got != (i%2 == 0) {
				t.Errorf("session %d is deleted: %t", i%40, got)
			}
		})
	}
	close(start)
	all.Wait()
	// Two queries for a read. How many reads there are depends on when the goroutines run.
	if n := conn.queries.Load(); n > 100 {
		t.Errorf("%d queries for 1000 that asked at once", n)
	}
}
