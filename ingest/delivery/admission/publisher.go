// Package admission decides which blocks a server takes. A block waits while its tenant, or all
// tenants together, exceed a rate, and a block of a bulk recording also while the sink is too far
// behind. A block of a deleted session is refused. The package counts the blocks by their outcome.
package admission

import (
	"container/list"
	"context"
	"log/slog"
	"sync"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/quota"
	"tapedeck/schema/lifecycle/tombstone"
)

// Options configure a Publisher. The zero value of a field other than Next bounds nothing, or
// refuses nothing.
type Options struct {
	Next  ingest.Publisher // receives the admitted blocks
	Rates Rates
	// Progress reports what the sink has stored. Without it, Unstored has no effect.
	Progress Progress
	Unstored Unstored
	// Deleted and Store have the tombstones of deleted sessions. Both are set, or neither.
	Deleted *tombstone.Set
	Store   *tombstone.Store
	Log     *slog.Logger // for Deleted
}

// Rates are amounts per second; 0 bounds nothing.
type Rates struct {
	Frames, FramesPerTenant float64
	Bytes, BytesPerTenant   float64 // of encoded blocks
}

// Publisher passes the admitted blocks to the next publisher. A recorder sees a wait as
// backpressure: it keeps the blocks that are not accepted and loses nothing. Publisher is a
// prometheus.Collector and safe for use by many goroutines.
type Publisher struct {
	next          ingest.Publisher
	frames, bytes *quota.Rate
	unstored      *unstored  // nil without a bound
	deletions     *deletions // nil without tombstones

	mu      sync.Mutex // guards offered
	offered list.List  // of *offer, oldest first
}

// New returns a publisher. It asks for the sink's progress until life ends.
func New(life context.Context, o Options) *Publisher {
	p := &Publisher{
		next:   o.Next,
		frames: quota.NewRate("frames-per-second", o.Rates.Frames, o.Rates.FramesPerTenant),
		bytes:  quota.NewRate("bytes-per-second", o.Rates.Bytes, o.Rates.BytesPerTenant),
	}
	if o.Progress != nil {
		p.unstored = newUnstored(life, o.Unstored, o.Progress)
	}
	if o.Deleted != nil {
		p.deletions = newDeletions(o.Deleted, o.Store, o.Log)
	}
	return p
}

// SetRates sets other rates.
func (p *Publisher) SetRates(r Rates) {
	p.frames.SetLimits(r.Frames, r.FramesPerTenant)
	p.bytes.SetLimits(r.Bytes, r.BytesPerTenant)
}

// offer is a block that was offered and is neither durable nor refused.
type offer struct {
	p     *Publisher
	count *counters
	load
	at    time.Time
	place *list.Element // in Publisher.offered
	done  func(error)
}

// Publish implements ingest.Publisher. A block of a deleted session is refused permanently, with an
// ingest.DeletedError. The error is a *quota.RateError if ctx ends while the block waits for a
// rate.
func (p *Publisher) Publish(ctx context.Context, b ingest.EncodedBlock, done func(error)) error {
	o := p.offer(&b, done)
	err := p.admit(ctx, &b)
	if err == nil {
		if err = p.next.Publish(ctx, b, o.settle); err != nil {
			p.withdraw(ctx, &b, err)
		}
	}
	if err != nil {
		o.remove()
		o.count.refused.Inc()
	}
	return err
}

// admit decides whether a block may be published: it returns nil, an ingest.Permanent error if it
// may never be, or another error if it may not be for now. It waits for rates and for the sink.
func (p *Publisher) admit(ctx context.Context, b *ingest.EncodedBlock) error {
	if err := p.frames.Wait(ctx, b.Tenant, b.Frames); err != nil {
		return err
	}
	if err := p.bytes.Wait(ctx, b.Tenant, len(b.Data)); err != nil {
		p.frames.GiveBack(b.Tenant, b.Frames) // the recorder sends the block again
		return err
	}
	if err := p.unstored.enter(ctx, b); err != nil {
		p.giveBack(b)
		return err
	}
	if err := p.deletions.check(ctx, b); err != nil {
		p.withdraw(ctx, b, err)
		return err
	}
	return nil
}

// withdraw takes back what admit counted for a block that was not published, because of err.
func (p *Publisher) withdraw(ctx context.Context, b *ingest.EncodedBlock, err error) {
	p.unstored.settle(loadOf(b), err)
	if ctx.Err() != nil {
		p.giveBack(b)
	}
}

// giveBack returns the amounts of a block that the recorder sends again.
func (p *Publisher) giveBack(b *ingest.EncodedBlock) {
	p.frames.GiveBack(b.Tenant, b.Frames)
	p.bytes.GiveBack(b.Tenant, len(b.Data))
}

// offer counts a block as offered.
func (p *Publisher) offer(b *ingest.EncodedBlock, done func(error)) *offer {
	o := &offer{p: p, count: countersOf(b.Tenant), load: loadOf(b), at: time.Now(), done: done}
	p.mu.Lock()
	defer p.mu.Unlock()
	o.place = p.offered.PushBack(o)
	return o
}

// remove counts the block as no longer offered.
func (o *offer) remove() {
	o.p.mu.Lock()
	defer o.p.mu.Unlock()
	o.p.offered.Remove(o.place)
}

// settle records the outcome of an admitted block and passes it on.
func (o *offer) settle(err error) {
	o.remove()
	o.p.unstored.settle(o.load, err)
	if err != nil {
		o.count.failed.Inc()
	} else {
		o.count.durable.Inc()
		o.count.frames.Add(float64(o.frames))
		o.count.bytes.Add(float64(o.bytes))
		ingestSeconds.Observe(time.Since(o.at).Seconds())
	}
	o.done(err)
}
