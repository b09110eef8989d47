package spool

import (
	"cmp"
	"slices"
	"sync"

	"tapedeck/ingest"
)

// item is a parcel that the drainer sends: read from disk, or given up before
// it could be written there.
type item struct {
	number  uint64 // in the order of the queue
	record  record
	seg     *segment // where it lies; nil if it is not on disk
	flight  *flight  // set if seg is nil
	refused error    // why Next will never take it
}

// air holds the drainer's parcels that are on their way, and those that came
// back. Next's goroutines land them.
type air struct {
	mu       sync.Mutex // guards all below
	flying   []*item    // in order
	bytes    int64      // of their data
	failed   []*item
	refused  []*item
	progress bool // one was confirmed since collect
	closed   bool // parcels that land now no longer count
}

// up notes that an item is on its way, and reports whether it is the oldest.
func (a *air) up(it *item) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.flying = append(a.flying, it)
	a.bytes += int64(len(it.record.parcel.Data))
	return len(a.flying) == 1
}

// outcome is how an item came down.
type outcome uint8

const (
	confirmed outcome = iota
	failed            // to be sent again
	refused           // never to be sent again
)

// down takes an item out of the air. It gives when the oldest left was taken,
// 0 if none is; ok is false once the air is closed.
func (a *air) down(it *item, how outcome) (oldest int64, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return 0, false
	}
	if i := slices.Index(a.flying, it); i >= 0 {
		a.flying = slices.Delete(a.flying, i, i+1)
		a.bytes -= int64(len(it.record.parcel.Data))
	}
	switch how {
	case confirmed:
		a.progress = true
	case failed:
		a.failed = append(a.failed, it)
	case refused:
		if it.seg != nil {
			a.refused = append(a.refused, it)
		}
	}
	if len(a.flying) > 0 {
		oldest = a.flying[0].record.at
	}
	return oldest, true
}

// fail has an item sent again that is in the air no longer.
func (a *air) fail(it *item) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failed = append(a.failed, it)
}

func (a *air) failing() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.failed) > 0
}

func (a *air) busy() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.flying) > 0 || len(a.refused) > 0
}

func (a *air) crowded(parcels int, bytes int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.flying) >= parcels || a.bytes >= bytes
}

// unwritten reports whether a parcel is in the air that is not on disk.
func (a *air) unwritten() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.flying, func(it *item) bool { return it.seg == nil })
}

// collect takes what failed, in order, and reports whether anything was
// confirmed since the last time.
func (a *air) collect() (fell []*item, progress bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fell, progress = a.failed, a.progress
	a.failed, a.progress = nil, false
	slices.SortFunc(fell, func(x, y *item) int { return cmp.Compare(x.number, y.number) })
	return fell, progress
}

func (a *air) takeRefused() []*item {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.refused
	a.refused = nil
	return r
}

// ground closes the air: what was in it has failed.
func (a *air) ground() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	a.failed = append(a.failed, a.flying...)
	a.flying = nil
}

// settle gives the function that learns an item's fate; further calls of it do
// nothing.
func (d *drainer) settle(it *item) func(error) {
	var once sync.Once
	return func(err error) { once.Do(func() { d.land(it, err) }) }
}

func (d *drainer) land(it *item, err error) {
	how := failed
	switch {
	case err == nil, ingest.IsDeleted(err): // a deleted session's block is dropped
		how = confirmed
	case ingest.IsPermanent(err) && !refusesAll(err):
		how, it.refused = refused, err
	}
	oldest, ok := d.air.down(it, how)
	if !ok {
		return
	}
	d.s.told(how, err)
	switch {
	case how == failed: // again
	case it.seg == nil:
		it.flight.done(err)
	case how == confirmed:
		d.s.confirm(it.seg)
	}
	if oldest != 0 {
		d.s.store.oldest(oldest)
	}
	d.s.rouse()
}
