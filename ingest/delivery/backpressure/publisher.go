// Package backpressure limits bulk recordings to the rate at which the sink stores them, so that
// blocks of other recordings do not wait behind minutes of bulk blocks.
package backpressure

import (
	"context"
	"sync"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/metric"
)

// Options bound the blocks that this process has published and the sink has not stored. Zero values
// select the defaults.
type Options struct {
	Bytes  int64 // bytes of encoded blocks; default 32 MiB
	Frames int64 // default 1,000,000
	// CachedBytes bounds the bytes that were sent within cachedFor to a JetStream in this process,
	// which keeps them in memory. 0 means no bound, for a JetStream in another process.
	CachedBytes int64
}

// WithDefaults returns the options with the defaults filled in.
func (o Options) WithDefaults() Options {
	if o.Bytes == 0 {
		o.Bytes = 32 << 20
	}
	if o.Frames == 0 {
		o.Frames = 1_000_000
	}
	return o
}

const (
	// A block of at least bulkBytes bytes or bulkFrames frames belongs to a bulk recording and may
	// have to wait. Smaller blocks, of which interactive recordings consist, never wait.
	bulkBytes  = 32 << 10
	bulkFrames = 512
	// longest bounds how long one block waits. It is shorter than the timeout of a request (see
	// package ingesthttp).
	longest = 25 * time.Second
	// stalled is the time without progress of the sink after which blocks no longer wait: JetStream
	// keeps them while ClickHouse is unavailable.
	stalled = 20 * time.Second
	// cachedFor is the time for which JetStream keeps a file of messages in memory after the last
	// write to the file, plus the interval at which it checks this time
	// (defaultCacheBufferExpiration of nats-server 2.15).
	cachedFor = 10*time.Second + 200*time.Millisecond
	// askEvery is the interval between progress requests to JetStream while many blocks are not
	// stored.
	askEvery = 100 * time.Millisecond
)

// Progress returns the sequence of the last message in JetStream. It also returns the sequence up
// to which all messages are stored; this value is read after the first one.
type Progress func(context.Context) (last, stored uint64, err error)

// Publisher passes blocks to the next publisher. It delays blocks of bulk recordings while the
// published and not yet stored blocks exceed the bounds. It is safe for use by many goroutines.
type Publisher struct {
	next     ingest.Publisher
	opts     Options
	progress Progress
	life     context.Context

	mu        sync.Mutex // guards the fields below
	cached    []written  // blocks published within cachedFor, the oldest first
	sum       int64      // total bytes of cached
	total     load       // blocks that are published or being published, and not known to be stored
	durable   load       // the part of total that is durable, at an unknown sequence
	groups    []group    // the rest of the durable blocks, in the order of their sequences
	following bool       // the goroutine of follow runs
	moved     time.Time  // when the sink last stored a block, or when follow began
	changed   chan struct{}
}

// written is an amount of bytes that were published at about the same time.
type written struct {
	at    time.Time
	bytes int64
}

// load is an amount of blocks: their encoded bytes and frames.
type load struct{ bytes, frames int64 }

func (l *load) add(m load, sign int64) {
	l.bytes += sign * m.bytes
	l.frames += sign * m.frames
}

// group is an amount of blocks whose sequences are at most last.
type group struct {
	load
	last uint64
}

// New returns a publisher that passes blocks to next. It calls progress until life ends.
func New(life context.Context, next ingest.Publisher, o Options, progress Progress) *Publisher {
	return &Publisher{next: next, opts: o.WithDefaults(), progress: progress, life: life, changed: make(chan struct{})}
}

// Publish implements ingest.Publisher.
func (p *Publisher) Publish(ctx context.Context, b ingest.EncodedBlock, done func(error)) error {
	size := load{int64(len(b.Data)), int64(b.Frames)}
	if err := p.enter(ctx, size); err != nil {
		return err
	}
	err := p.next.Publish(ctx, b, func(err error) {
		p.mu.Lock()
		if err == nil {
			p.durable.add(size, 1)
		} else {
			p.forget(size)
		}
		p.mu.Unlock()
		done(err)
	})
	if err != nil {
		p.mu.Lock()
		p.forget(size)
		p.mu.Unlock()
	}
	return err
}

// forget subtracts blocks that are stored, or that were not published, from the total. mu is held.
func (p *Publisher) forget(l load) {
	p.total.add(l, -1)
	unstored.Sub(float64(l.bytes))
}

// enter adds a block to the total. A block of a bulk recording waits first while the blocks that
// are not stored, or are cached, exceed the bounds. It waits for at most longest.
func (p *Publisher) enter(ctx context.Context, size load) error {
	bulk := size.bytes >= bulkBytes || size.frames >= bulkFrames
	var timeout *time.Timer
	for late := false; ; {
		p.mu.Lock()
		over := p.total.bytes >= p.opts.Bytes || p.total.frames >= p.opts.Frames
		full, changed := p.uncached(), p.changed
		if !bulk || late || full == 0 && (!over || time.Since(p.moved) >= stalled) {
			p.add(size)
			p.mu.Unlock()
			return nil
		}
		p.mu.Unlock()
		if timeout == nil {
			timeout = time.NewTimer(longest)
			defer timeout.Stop()
			waits.Inc()
		}
		var released <-chan time.Time
		if full > 0 {
			released = time.After(full)
		}
		select {
		case <-released:
		case <-changed:
		case <-timeout.C:
			late = true
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// add adds a block that is about to be published to the total. mu is held.
func (p *Publisher) add(size load) {
	p.total.add(size, 1)
	unstored.Add(float64(size.bytes))
	p.follow()
	if p.opts.CachedBytes == 0 {
		return
	}
	now := time.Now()
	if n := len(p.cached); n > 0 && now.Sub(p.cached[n-1].at) < askEvery {
		p.cached[n-1].bytes += size.bytes
	} else {
		p.cached = append(p.cached, written{now, size.bytes})
	}
	p.sum += size.bytes
}

// uncached returns the time until JetStream releases some of its cached bytes, if these have
// reached CachedBytes; otherwise 0. mu is held.
func (p *Publisher) uncached() time.Duration {
	for len(p.cached) > 0 {
		left := cachedFor + askEvery - time.Since(p.cached[0].at)
		switch {
		case left > 0 && p.sum >= p.opts.CachedBytes:
			return left
		case left > 0:
			return 0
		}
		p.sum -= p.cached[0].bytes
		p.cached = p.cached[1:]
	}
	return 0
}

// fraction is a divisor of the bounds. While the blocks that are not stored take less than this
// part of the bounds, progress is not queried.
const fraction = 4

// follow starts to query the progress if enough blocks are not stored. mu is held.
func (p *Publisher) follow() {
	if p.following || !p.matters() {
		return
	}
	p.following, p.moved = true, time.Now()
	go func() {
		tick := time.NewTicker(askEvery)
		defer tick.Stop()
		for p.ask() {
			select {
			case <-tick.C:
			case <-p.life.Done():
				return
			}
		}
	}()
}

func (p *Publisher) matters() bool {
	return p.total.bytes >= p.opts.Bytes/fraction || p.total.frames >= p.opts.Frames/fraction
}

// ask queries the progress and subtracts stored blocks from the total. It returns false once so few
// blocks are not stored that no more queries are needed.
func (p *Publisher) ask() bool {
	p.mu.Lock()
	newest := group{load: p.durable} // JetStream has these blocks already, so their sequences are at most its last one
	p.durable = load{}
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(p.life, longest)
	defer cancel()
	last, stored, err := p.progress(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil { // treat an error as no progress
		p.durable.add(newest.load, 1)
	} else {
		p.store(newest, last, stored)
	}
	close(p.changed)
	p.changed = make(chan struct{})
	p.following = p.matters()
	return p.following
}

// store adds a group of blocks whose sequences are at most last, and removes the groups up to
// stored. mu is held.
func (p *Publisher) store(newest group, last, stored uint64) {
	newest.last = last
	switch n := len(p.groups); {
	case n > 0 && p.groups[n-1].last == last:
		p.groups[n-1].add(newest.load, 1)
	case newest.load != load{}:
		p.groups = append(p.groups, newest)
	}
	for len(p.groups) > 0 && p.groups[0].last <= stored {
		p.forget(p.groups[0].load)
		p.groups = p.groups[1:]
		p.moved = time.Now()
	}
}

var (
	unstored = metric.Gauge(metric.Ingest, "tapedeck_ingest_unstored_bytes",
		"Bytes of encoded blocks that this process has published and does not know to be stored. "+
			"It is only brought up to date above a quarter of --max-unstored-bytes or --max-unstored-frames.")
	waits = metric.Counter(metric.Ingest, "tapedeck_ingest_unstored_waits_total",
		"Blocks of bulk recordings that waited because of --max-unstored-bytes, --max-unstored-frames or "+
			"--max-cached-bytes.")
)
