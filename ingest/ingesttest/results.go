package ingesttest

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"tapedeck/internal/bounded"
)

// Results collects the results of published blocks, and checks that each is reported once.
// The zero value is ready. It is safe for use by several goroutines.
type Results struct {
	open sync.WaitGroup
	mu   sync.Mutex // guards what follows
	list []error    // in the order in which they were reported
	byID map[string]error
}

// Of returns the callback for a block that is about to be published.
func (r *Results) Of(t testing.TB, id string) func(error) {
	r.open.Add(1)
	reported := false
	return func(err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if reported {
			t.Errorf("the result of block %s was reported twice", id)
			return
		}
		reported = true
		if r.byID == nil {
			r.byID = map[string]error{}
		}
		r.byID[id], r.list = err, append(r.list, err)
		r.open.Done()
	}
}

// Refused records that Publish did not accept a block, so that the block has no result.
func (r *Results) Refused() { r.open.Done() }

// Wait waits until the results of all accepted blocks were reported, and returns them in the order
// of the reports.
func (r *Results) Wait(t testing.TB) []error {
	t.Helper()
	bounded.Wait(t, r.open.Wait)
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// Reported returns the results so far, by block id.
func (r *Results) Reported() map[string]error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.byID)
}

// Durable waits as Wait does, and checks that all blocks are durable.
func (r *Results) Durable(t testing.TB) {
	t.Helper()
	r.Wait(t)
	for id, err := range r.Reported() {
		if err != nil {
			t.Errorf("block %s: %v", id, err)
		}
	}
}
