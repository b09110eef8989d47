package ingest_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"tapedeck/ingest"
	"tapedeck/internal/bounded"
	"tapedeck/schema/block"
)

// holding is a publisher that acknowledges a block when confirm is called.
type holding struct {
	mu     sync.Mutex
	frames [][]uint64
	done   []func(error)
}

func (h *holding) Publish(_ context.Context, p ingest.EncodedBlock, done func(error)) error {
	b, err := block.Decode(p.Data)
	if err != nil {
		return err
	}
	var seqs []uint64
	for _, f := range b.Frames {
		seqs = append(seqs, f.Seq)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.frames, h.done = append(h.frames, seqs), append(h.done, done)
	return nil
}

// waitFor waits until n blocks came.
func (h *holding) waitFor(t *testing.T, n int) {
	t.Helper()
	bounded.Until(t, fmt.Sprintf("%d blocks came", n), func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.done) == n
	})
}

// confirm acknowledges a block and returns the frames in it.
func (h *holding) confirm(i int) []uint64 {
	h.mu.Lock()
	done, seqs := h.done[i], h.frames[i]
	h.mu.Unlock()
	// The frames count as confirmed from here on: done may report them.
	done(nil)
	return seqs
}
