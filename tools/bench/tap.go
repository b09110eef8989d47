package bench

import (
	"context"
	"fmt"
	"sync"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/file"
)

// tapStage measures reading, framing, decoding and encoding blocks, which are
// then discarded.
type tapStage struct{ runs Laps }

func (s *tapStage) measure(ctx context.Context, w *workshop) error {
	for range full(w, 3, 1) {
		run, err := tap(ctx, w.path, discardPublisher{}, ingest.StreamOptions{})
		if err != nil {
			return err
		}
		s.runs = append(s.runs, run)
	}
	return nil
}

func (s *tapStage) write(p *page) {
	m := s.runs.Median()
	p.text("The file is read, cut into frames, decoded, and packed into blocks, as `tapedeck record FILE` does it; the blocks are thrown away.")
	p.table("| | frames/s | raw bytes | CPU-seconds per million frames |", "|---|---:|---:|---:|")
	p.row("tap and dialect", s.runs.median(), megabytes(m.ByteRate()), cpuSeconds(m.CPU, m.Frames))
}

func (s *tapStage) bars() []bar { return nil }

// tap records a file to a publisher, in this process.
func tap(ctx context.Context, path string, p ingest.Publisher, so ingest.StreamOptions) (Lap, error) {
	began, cpu := time.Now(), ownCPU()
	sum, err := file.Record(ctx, ingest.NewRecorder(p, ingest.Settings{}, nil), so, file.Options{Path: path})
	if err != nil {
		return Lap{}, err
	}
	return Lap{Frames: sum.Frames, Bytes: sum.Bytes, Took: time.Since(began), CPU: ownCPU() - cpu}, nil
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
func (w *workshop) encodedBlocks(ctx context.Context) ([]ingest.EncodedBlock, error) {
	if w.blocks != nil {
		return w.blocks, nil
	}
	var s memoryPublisher
	run, err := tap(ctx, w.path, &s, ingest.StreamOptions{})
	if err != nil {
		return nil, err
	}
	if run.Frames != w.frames {
		return nil, fmt.Errorf("%d of the file's %d frames were recorded", run.Frames, w.frames)
	}
	w.blocks = s.blocks
	return w.blocks, nil
}
