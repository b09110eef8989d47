package admission

import (
	"context"
	"slices"
	"sync"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
)

// Unstored bounds the blocks that this process has published and the sink has not stored. Zero
// values select the defaults.
type Unstored struct {
	Bytes  int64 // bytes of encoded blocks; default 64 MiB
	Frames int64 // default 1,000,000
	// CachedBytes bounds the bytes that were sent within cachedFor to a JetStream in this process,
	// which keeps them in memory. 0 means no bound, for a JetStream in another process.
	CachedBytes int64
}

// withDefaults returns the bounds with the defaults filled in.
func (u Unstored) withDefaults() Unstored {
	if u.Bytes == 0 {
		u.Bytes = 64 << 20
	}
	if u.Frames == 0 {
		u.Frames = 1_000_000
	}
	return u
}

const (
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

// Progress returns how far the sinks have stored each partition.
type Progress func(context.Context) ([]jetstream.Progress, error)

// unstored limits bulk recordings to the rate at which the sink stores them, so that blocks of
// other recordings do not wait behind minutes of bulk blocks. It delays blocks of bulk recordings
// while the published and not yet stored blocks exceed the bounds. A nil unstored delays nothing.
type unstored struct {
	most     Unstored
	progress Progress
	life     context.Context

	mu        sync.Mutex // guards the fields below
	bulk      jetstream.BulkStreams
	cached    []written // blocks published within cachedFor, the oldest first
	sum       int64     // total bytes of cached
	total     load      // blocks that are published or being published, and not known to be stored
	unplaced  load      // the part of total that is durable, at an unknown sequence
	groups    []group   // the rest of the durable blocks, in the order of their sequences
	following bool      // the goroutine of follow runs
	moved     time.Time // when the sink last stored a block, or when follow began
	changed   chan struct{}
}

// written is an amount of bytes that were published at about the same time.
type written struct {
	at    time.Time
	bytes int64
}

// load is an amount of blocks: their encoded bytes and frames.
type load struct{ bytes, frames int64 }

func loadOf(b *ingest.EncodedBlock) load { return load{int64(len(b.Data)), int64(b.Frames)} }

func (l *load) add(m load, sign int64) {
	l.bytes += sign * m.bytes
	l.frames += sign * m.frames
}

// group is an amount of blocks whose sequences are at most the last ones.
type group struct {
	load
	last []jetstream.Progress
}

// isStored reports whether the sinks have stored the blocks of the group. When the number of
// partitions changes, all earlier blocks are stored.
func (g *group) isStored(now []jetstream.Progress) bool {
	for i := range g.last {
		if len(now) == len(g.last) && now[i].Stored < g.last[i].Last {
			return false
		}
	}
	return true
}

// sameLast reports whether the last sequences are those of now.
func (g *group) sameLast(now []jetstream.Progress) bool {
	return slices.EqualFunc(g.last, now, func(a, b jetstream.Progress) bool { return a.Last == b.Last })
}

// newUnstored returns the bound. It calls progress until life ends.
func newUnstored(life context.Context, most Unstored, progress Progress) *unstored {
	return &unstored{most: most.withDefaults(), progress: progress, life: life, changed: make(chan struct{})}
}

// settle records the outcome of a block that had entered: nil if it is durable.
func (u *unstored) settle(size load, err error) {
	if u == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if err == nil {
		u.unplaced.add(size, 1)
	} else {
		u.forget(size)
	}
}

// forget subtracts blocks that are stored, or that were not published, from the total. mu is held.
func (u *unstored) forget(l load) {
	u.total.add(l, -1)
	unstoredBytes.Sub(float64(l.bytes))
}

// enter adds a block to the total. A block of a bulk recording waits first while the blocks that
// are not stored, or are cached, exceed the bounds. It waits for at most longest.
func (u *unstored) enter(ctx context.Context, b *ingest.EncodedBlock) error {
	if u == nil {
		return nil
	}
	size := loadOf(b)
	u.mu.Lock()
	bulk := u.bulk.Add(b, time.Now())
	u.mu.Unlock()
	var timeout *time.Timer
	for late := false; ; {
		u.mu.Lock()
		over := u.total.bytes >= u.most.Bytes || u.total.frames >= u.most.Frames
		full, changed := u.uncached(), u.changed
		if !bulk || late || full == 0 && (!over || time.Since(u.moved) >= stalled) {
			u.add(size)
			u.mu.Unlock()
			return nil
		}
		u.mu.Unlock()
		if timeout == nil {
			timeout = time.NewTimer(longest)
			defer timeout.Stop()
			unstoredWaits.Inc()
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
func (u *unstored) add(size load) {
	u.total.add(size, 1)
	unstoredBytes.Add(float64(size.bytes))
	u.follow()
	if u.most.CachedBytes == 0 {
		return
	}
	now := time.Now()
	if n := len(u.cached); n > 0 && now.Sub(u.cached[n-1].at) < askEvery {
		u.cached[n-1].bytes += size.bytes
	} else {
		u.cached = append(u.cached, written{now, size.bytes})
	}
	u.sum += size.bytes
}

// uncached returns the time until JetStream releases some of its cached bytes, if these have
// reached CachedBytes; otherwise 0. mu is held.
func (u *unstored) uncached() time.Duration {
	for len(u.cached) > 0 {
		left := cachedFor + askEvery - time.Since(u.cached[0].at)
		switch {
		case left > 0 && u.sum >= u.most.CachedBytes:
			return left
		case left > 0:
			return 0
		}
		u.sum -= u.cached[0].bytes
		u.cached = u.cached[1:]
	}
	return 0
}

// fraction is a divisor of the bounds. While the blocks that are not stored take less than this
// part of the bounds, progress is not queried.
const fraction = 4

// follow starts to query the progress if enough blocks are not stored. mu is held.
func (u *unstored) follow() {
	if u.following || !u.matters() {
		return
	}
	u.following, u.moved = true, time.Now()
	go func() {
		tick := time.NewTicker(askEvery)
		defer tick.Stop()
		for u.ask() {
			select {
			case <-tick.C:
			case <-u.life.Done():
				return
			}
		}
	}()
}

func (u *unstored) matters() bool {
	return u.total.bytes >= u.most.Bytes/fraction || u.total.frames >= u.most.Frames/fraction
}

// ask queries the progress and subtracts stored blocks from the total. It returns false once so few
// blocks are not stored that no more queries are needed.
func (u *unstored) ask() bool {
	u.mu.Lock()
	newest := group{load: u.unplaced} // JetStream has these blocks already, so their sequences are at most its last one
	u.unplaced = load{}
	u.mu.Unlock()
	ctx, cancel := context.WithTimeout(u.life, longest)
	defer cancel()
	now, err := u.progress(ctx)
	u.mu.Lock()
	defer u.mu.Unlock()
	if err != nil { // treat an error as no progress
		u.unplaced.add(newest.load, 1)
	} else {
		u.store(newest, now)
	}
	close(u.changed)
	u.changed = make(chan struct{})
	u.following = u.matters()
	return u.following
}

// store adds a group of blocks whose sequences are at most the last ones of now, and removes the
// groups that are stored. mu is held.
func (u *unstored) store(newest group, now []jetstream.Progress) {
	newest.last = now
	switch n := len(u.groups); {
	case n > 0 && u.groups[n-1].sameLast(now):
		u.groups[n-1].add(newest.load, 1)
	case newest.load != load{}:
		u.groups = append(u.groups, newest)
	}
	for len(u.groups) > 0 && u.groups[0].isStored(now) {
		u.forget(u.groups[0].load)
		u.groups = u.groups[1:]
		u.moved = time.Now()
	}
}
