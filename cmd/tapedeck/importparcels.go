package main

import (
	"context"
	"fmt"
	"sync"

	"tapedeck/ingest"
	"tapedeck/ingest/jetstream"
	"tapedeck/schema"
)

// parcels hands blocks to a publisher and waits for them. Their ids are of this
// import alone: what was imported, deleted and is imported again is not taken for a
// repeat.
type parcels struct {
	to  ingest.Publisher
	run string
	n   int

	way sync.WaitGroup // blocks on their way
	mu  sync.Mutex     // guards err
	err error          // the first
}

func newParcels(to ingest.Publisher) *parcels { return &parcels{to: to, run: schema.NewStreamID()} }

// publish hands on a block; it waits while too many are on their way.
func (p *parcels) publish(ctx context.Context, parcel ingest.EncodedBlock) error {
	if err := p.failure(); err != nil {
		return err
	}
	parcel.ID = fmt.Sprintf("%s%s-%d", jetstream.ImportID, p.run, p.n)
	p.n++
	p.way.Add(1)
	err := p.to.Publish(ctx, parcel, func(err error) {
		if err != nil {
			p.mu.Lock()
			if p.err == nil {
				p.err = err
			}
			p.mu.Unlock()
		}
		p.way.Done()
	})
	if err != nil {
		p.way.Done() // it was not taken
	}
	return err
}

func (p *parcels) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// wait waits until everything that was handed on is durable.
func (p *parcels) wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.way.Wait()
	}()
	select {
	case <-done:
		return p.failure()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
