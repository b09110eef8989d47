package admission

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/quota"
)

// taken takes every block.
type taken struct {
	mu sync.Mutex
	of map[string][]string // ids by tenant
}

// Publish implements ingest.Publisher.
func (p *taken) Publish(_ context.Context, b ingest.EncodedBlock, done func(error)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of[b.Tenant] = append(p.of[b.Tenant], b.ID)
	go done(nil)
	return nil
}

// A tenant that floods gets its rate, and loses nothing that it waits for. One beside it is not
// delayed.
func TestTenantsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &taken{of: map[string][]string{}}
		p := New(t.Context(), Options{Next: next, Rates: Rates{FramesPerTenant: 1000, BytesPerTenant: 1 << 20}})
		const seconds = 10
		ctx, cancel := context.WithTimeout(t.Context(), seconds*time.Second)
		defer cancel()
		var all sync.WaitGroup
		refused := 0
		all.Go(func() { // as fast as it can
			for i := 0; ; {
				err := p.Publish(ctx, ingest.EncodedBlock{Tenant: "a", ID: fmt.Sprint(i), Frames: 100, Data: make([]byte, 1000)}, func(error) {})
				if err == nil {
					i++
					continue
				}
				var held *quota.RateError
				if !errors.As(err, &held) || held.Limit != "max-frames-per-second-per-tenant" {
					t.Errorf("refused with %v", err)
				}
				refused++
				return
			}
		})
		var most time.Duration
		all.Go(func() { // ten frames every ten milliseconds: all that it may
			for i := range seconds*100 - 1 {
				began := time.Now()
				if err := p.Publish(ctx, ingest.EncodedBlock{Tenant: "b", ID: fmt.Sprint(i), Frames: 10, Data: make([]byte, 100)}, func(error) {}); err != nil {
					t.Errorf("b: %v", err)
					return
				}
				most = max(most, time.Since(began))
				time.Sleep(10 * time.Millisecond) // virtual time: the gap between two blocks
			}
		})
		all.Wait()
		a, b := next.of["a"], next.of["b"]
		if want := 10 * (seconds + 1); len(a) > want || len(a) < want-1 {
			t.Errorf("a published %d blocks in %d s, want %d", len(a), seconds, want)
		}
		for i, id := range a {
			if id != fmt.Sprint(i) {
				t.Fatalf("block %d of a is %s", i, id)
			}
		}
		if len(b) != seconds*100-1 || most > time.Millisecond || refused != 1 {
			t.Errorf("b published %d blocks, the slowest in %v; a was refused %d times", len(b), most, refused)
		}
	})
}
