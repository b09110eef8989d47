package admission

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
)

// A block that is not durable in the end is not counted as unstored. Its amounts are given back if
// the recorder sends it again.
func TestTakesBack(t *testing.T) {
	away := errors.New("away")
	for _, c := range []struct {
		name     string
		refuse   error // Next does not accept the block
		ends     bool  // the context ends meanwhile
		abandon  error // the outcome of an accepted block
		unstored int64
		waits    time.Duration // the next block, for the rate
	}{
		{name: "durable", unstored: 1000, waits: time.Second},
		{name: "abandoned", abandon: away, waits: time.Second},
		{name: "refused permanently", refuse: ingest.Permanent(away), waits: time.Second},
		{name: "refused for now", refuse: away, ends: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				next := &held{err: c.refuse}
				progress := func(context.Context) ([]jetstream.Progress, error) { return []jetstream.Progress{{Last: 1}}, nil }
				p := New(t.Context(), Options{Next: next, Rates: Rates{BytesPerTenant: 1000}, Progress: progress})
				block := ingest.EncodedBlock{Tenant: "t", Frames: 10, Data: make([]byte, 1000)}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.ends {
					p.next = ending{next, cancel}
				}
				var outcome error
				if err := p.Publish(ctx, block, func(err error) { outcome = err }); !errors.Is(err, c.refuse) {
					t.Fatalf("published with %v", err)
				}
				for _, done := range next.dones {
					done(c.abandon)
				}
				if !errors.Is(outcome, c.abandon) || p.unstored.total.bytes != c.unstored || p.offered.Len() != 0 {
					t.Errorf("outcome %v, %d bytes are unstored, %d blocks have no outcome", outcome, p.unstored.total.bytes, p.offered.Len())
				}
				began := time.Now()
				if err := p.bytes.Wait(t.Context(), "t", 1000); err != nil || time.Since(began) != c.waits {
					t.Errorf("the next block waits for %v, want %v (%v)", time.Since(began), c.waits, err)
				}
			})
		})
	}
}

// ending ends a context when it is handed a block.
type ending struct {
	ingest.Publisher
	end context.CancelFunc
}

func (e ending) Publish(ctx context.Context, b ingest.EncodedBlock, done func(error)) error {
	e.end()
	return e.Publisher.Publish(ctx, b, done)
}
