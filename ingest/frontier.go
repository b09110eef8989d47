package ingest

import (
	"context"
	"sync"
)

// frontier follows which frames of a stream are durable, while blocks are
// confirmed in any order.
type frontier struct {
	mu      sync.Mutex // guards all below
	next    uint64     // all frames below are durable
	waiting uint64     // the lowest frame that was not handed on
	onWay   map[uint64]uint64
	count   uint64
	err     error
	quiet   []chan struct{} // closed when nothing is on its way
	tell    func(next uint64)
	telling sync.Mutex // one call of tell at a time, in order
}

func (f *frontier) init(next uint64, tell func(uint64)) {
	f.next, f.waiting, f.tell = next, next, tell
}

// sent notes a block on its way that begins with frame first, and the lowest
// frame that still waits to be handed on. It gives the function to call when
// the block's fate is known; further calls of it do nothing.
func (f *frontier) sent(first, waiting uint64) func(error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.onWay == nil {
		f.onWay = map[uint64]uint64{}
	}
	n := f.count
	f.count++
	f.onWay[n] = first
	f.waiting = waiting
	return func(err error) { f.landed(n, err) }
}

func (f *frontier) landed(n uint64, err error) {
	f.telling.Lock()
	defer f.telling.Unlock()
	next, moved := f.settle(n, err)
	if moved && f.tell != nil {
		f.tell(next)
	}
	// Who waits learns of it last: all that there was to tell was told.
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.onWay) == 0 || f.err != nil {
		f.release()
	}
}

func (f *frontier) settle(n uint64, err error) (next uint64, moved bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.onWay[n]; !ok {
		return 0, false
	}
	if err != nil {
		if f.err == nil {
			f.err = err
		}
		return 0, false // it stays on its way: the frontier never passes it
	}
	delete(f.onWay, n)
	next = f.waiting
	for _, first := range f.onWay {
		next = min(next, first)
	}
	if next <= f.next {
		return 0, false
	}
	f.next = next
	return next, true
}

func (f *frontier) release() {
	for _, c := range f.quiet {
		close(c)
	}
	f.quiet = nil
}

// failure is the first reason for which a block was given up.
func (f *frontier) failure() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// wait returns when nothing is on its way, or with the first failure.
func (f *frontier) wait(ctx context.Context) error {
	f.telling.Lock() // what settled is to have been told
	f.mu.Lock()
	f.telling.Unlock()
	if f.err != nil || len(f.onWay) == 0 {
		defer f.mu.Unlock()
		return f.err
	}
	c := make(chan struct{})
	f.quiet = append(f.quiet, c)
	f.mu.Unlock()
	select {
	case <-c:
		return f.failure()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
