// Package ratelimit delays the blocks of tenants that send faster than their rate limit.
package ratelimit

import (
	"context"

	"tapedeck/ingest"
	"tapedeck/internal/quota"
)

// Limits are amounts per second; 0 bounds nothing.
type Limits struct {
	Frames, FramesPerTenant float64
	Bytes, BytesPerTenant   float64 // of encoded blocks
}

// Publisher delays a block while its tenant, or all tenants together, exceed a rate. Recorders see
// the delay as backpressure: they keep the blocks that are not accepted and lose nothing. It is
// safe for use by many goroutines.
type Publisher struct {
	next          ingest.Publisher
	frames, bytes *quota.Rate
}

// New returns a publisher that passes blocks to next.
func New(next ingest.Publisher, l Limits) *Publisher {
	return &Publisher{
		next:   next,
		frames: quota.NewRate("frames-per-second", l.Frames, l.FramesPerTenant),
		bytes:  quota.NewRate("bytes-per-second", l.Bytes, l.BytesPerTenant),
	}
}

// SetLimits sets other rates.
func (p *Publisher) SetLimits(l Limits) {
	p.frames.SetLimits(l.Frames, l.FramesPerTenant)
	p.bytes.SetLimits(l.Bytes, l.BytesPerTenant)
}

// Publish implements ingest.Publisher. The error is a *quota.RateError if ctx ends while the block
// waits.
func (p *Publisher) Publish(ctx context.Context, b ingest.EncodedBlock, done func(error)) error {
	if err := p.frames.Wait(ctx, b.Tenant, b.Frames); err != nil {
		return err
	}
	if err := p.bytes.Wait(ctx, b.Tenant, len(b.Data)); err != nil {
		p.frames.GiveBack(b.Tenant, b.Frames) // the recorder sends the block again
		return err
	}
	err := p.next.Publish(ctx, b, done)
	if err != nil && ctx.Err() != nil {
		p.frames.GiveBack(b.Tenant, b.Frames)
		p.bytes.GiveBack(b.Tenant, len(b.Data))
	}
	return err
}
