// Package backpressure holds bulk recordings back to the rate at which the sink stores them, so
// that what others record is not stored behind minutes of their blocks.
package backpressure

import (
	"context"
	"sync"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/metric"
)

// Options bound what this process has published and the sink has not stored. Zero values select
// the defaults.
type Options struct {
	Bytes  int64 // of encoded blocks; default 32 MiB
	Frames int64 // default 1,000,000
	// CachedBytes bounds what a JetStream in this process was sent within cachedFor, bytes: it keeps
	// that in memory. 0 for no bound, which is for a JetStream elsewhere.
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
	// A block of so many bytes or frames is part of a bulk recording and may have to wait.
	// Smaller ones, which interactive recordings consist of, never wait.
	bulkBytes  = 32 << 10
	bulkFrames = 512
	// longest bounds how long one block waits. It is less than a request waits for (ingesthttp).
	longest = 25 * time.Second
	// stalled is the time without progress of the sink from which on no block waits: JetStream
	// keeps them while ClickHouse is away.
	stalled = 20 * time.Second
	// cachedFor is the time for which JetStream keeps a file of messages in memory after the last
	// write to it, with the interval of its clock (defaultCacheBufferExpiration of nats-server 2.15).
	cachedFor = 10*time.Second + 200*time.Millisecond
	// askEvery is the interval between requests to JetStream while much is not stored.
	askEvery = 100 * time.Millisecond
)

// Progress returns the sequence of the last message of JetStream and, as of later, the sequence up
// to which all messages are stored.
type Progress func(context.Context) (last, stored uint64, err error)

// Publisher passes blocks to the next publisher, and has those of bulk recordings wait while more
// than the bounds is published and not stored. It is safe for use by many goroutines.
type Publisher struct {
	next     ingest.Publisher
	opts     Options
	progress Progress
	life     context.Context

	mu        sync.Mutex // guards what follows
	cached    []written  // within cachedFor, the oldest first
	sum       int64      // bytes of cached
	total     load       // published or being published, and not known to be stored
	durable   load       // the part of total that is durable, at an unknown sequence
	groups    []group    // the rest of what is durable, in the order of their sequences
	following bool       // follow runs
	moved     time.Time  // when the sink last stored something, or follow began
	changed   chan struct{}
}

// written is bytes that were published about a time.
type written struct {
	at    time.Time
	bytes int64
}

// load is an amount of blocks.
type load struct{ bytes, frames int64 }

func (l *load) add(m load, sign int64) {
	l.bytes += sign * m.bytes
	l.frames += sign * m.frames
}

// group is blocks whose sequences are up to last.
type group struct {
	load
	last uint64
}

// New returns a publisher that passes blocks to next. It asks progress until life ends.
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

// forget removes blocks that are stored, or were not published, from the total. mu is held.
func (p *Publisher) forget(l load) {
	p.total.add(l, -1)
	unstored.Sub(float64(l.bytes))
}

// enter adds a block to the total. One of a bulk recording waits while more than the bounds is not
// stored or cached, for longest at most.
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

// add adds a block that is about to be published. mu is held.
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

// uncached returns how long it takes until JetStream has released some of what it caches if that is
// as much as it may be, else 0. mu is held.
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

// fraction is the part of the bounds below which it does not matter what is stored.
const fraction = 4

// follow begins to ask what is stored if enough is not. mu is held.
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

// ask asks what is stored and removes it from the total. It returns false once what is not stored
// does not matter.
func (p *Publisher) ask() bool {
	p.mu.Lock()
	newest := group{load: p.durable} // JetStream has these already: its last sequence is theirs or a later one
	p.durable = load{}
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(p.life, longest)
	defer cancel()
	last, stored, err := p.progress(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil { // as without progress
		p.durable.add(newest.load, 1)
	} else {
		p.store(newest, last, stored)
	}
	close(p.changed)
	p.changed = make(chan struct{})
	p.following = p.matters()
	return p.following
}

// store adds a group whose sequences are up to last, and removes the groups up to stored. mu is
// held.
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
