package tapeimport

import (
	"context"
	"fmt"
	"sync"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/schema"
)

// sender passes blocks to a publisher and waits for them. Block ids are unique to an import, so
// that JetStream does not deduplicate the blocks of a deleted session that is imported again.
type sender struct {
	to  ingest.Publisher
	run string
	n   int

	inFlight sync.WaitGroup
	mu       sync.Mutex // guards err
	err      error      // the first error
}

func newSender(to ingest.Publisher) *sender { return &sender{to: to, run: schema.NewStreamID()} }

// publish publishes a block; it blocks while too many are in flight.
func (p *sender) publish(ctx context.Context, blk ingest.EncodedBlock) error {
	if err := p.failure(); err != nil {
		return err
	}
	blk.ID = fmt.Sprintf("%s%s-%d", jetstream.ImportID, p.run, p.n)
	p.n++
	p.inFlight.Add(1)
	err := p.to.Publish(ctx, blk, func(err error) {
		if err != nil {
			p.mu.Lock()
			if p.err == nil {
				p.err = err
			}
			p.mu.Unlock()
		}
		p.inFlight.Done()
	})
	if err != nil {
		p.inFlight.Done() // the block was not accepted
	}
	return err
}

func (p *sender) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// wait waits until all blocks are durable.
func (p *sender) wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.inFlight.Wait()
	}()
	select {
	case <-done:
		return p.failure()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
