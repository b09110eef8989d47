package bench

import (
	"context"
	"fmt"
	"sync"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/file"
)

// measureTap measures reading, framing, decoding and encoding blocks, which are then discarded.
func measureTap(ctx context.Context, h *harness, r *Results) error {
	return alternate(pick(h, 3, 1), turn{&r.Tap, func() (Pass, error) { return tap(ctx, h.path, discardPublisher{}, ingest.StreamOptions{}) }})
}

// tap records a file to a publisher, in this process.
func tap(ctx context.Context, path string, p ingest.Publisher, so ingest.StreamOptions) (Pass, error) {
	began, cpu := time.Now(), ownCPU()
	sum, err := file.Record(ctx, ingest.NewRecorder(p, ingest.Settings{}), so, file.Options{Path: path})
	if err != nil {
		return Pass{}, err
	}
	return Pass{Frames: sum.Frames, Bytes: sum.Bytes, Took: time.Since(began), CPU: ownCPU() - cpu}, nil
}

// discardPublisher is a publisher that discards blocks.
type discardPublisher struct{}

// Publish confirms the block at once.
func (discardPublisher) Publish(_ context.Context, _ ingest.EncodedBlock, done func(error)) error {
	go done(nil)
	return nil
}

// memoryPublisher is a publisher that keeps blocks in memory.
type memoryPublisher struct {
	mu     sync.Mutex // guards blocks
	blocks []ingest.EncodedBlock
}

// Publish keeps the block.
func (s *memoryPublisher) Publish(_ context.Context, p ingest.EncodedBlock, done func(error)) error {
	s.mu.Lock()
	s.blocks = append(s.blocks, p)
	s.mu.Unlock()
	go done(nil)
	return nil
}

// encodedBlocks returns the blocks of the file.
func (h *harness) encodedBlocks(ctx context.Context) ([]ingest.EncodedBlock, error) {
	if h.blocks != nil {
		return h.blocks, nil
	}
	var s memoryPublisher
	run, err := tap(ctx, h.path, &s, ingest.StreamOptions{})
	if err != nil {
		return nil, err
	}
	if run.Frames != h.frames {
		return nil, fmt.Errorf("%d of the file's %d frames were recorded", run.Frames, h.frames)
	}
	h.blocks = s.blocks
	return h.blocks, nil
}
