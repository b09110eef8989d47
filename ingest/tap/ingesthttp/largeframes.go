package ingesthttp

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"

	"tapedeck/ingest"
	"tapedeck/internal/metric"
	"tapedeck/schema"
)

const (
	// largeFrame is the size of an incomplete frame, in bytes, from which on it takes a place.
	largeFrame = 1 << 20
	// largeSilence is how long a client may send nothing in the midst of a large frame.
	largeSilence = time.Minute
)

// largeFrames bounds how many bodies are in the midst of a large frame at a time, and thereby the
// memory that they take together.
type largeFrames struct{ places *semaphore.Weighted }

func newLargeFrames(n int) *largeFrames {
	return &largeFrames{semaphore.NewWeighted(int64(n))}
}

// partialFrame is the framer of one body. It waits for a place when the incomplete frame becomes
// large, and releases the place when no large frame is incomplete any more.
type partialFrame struct {
	framer ingest.Framer
	places *largeFrames
	ctx    context.Context // bounds the wait
	bytes  int             // received since the last frame was recorded
	holds  bool
}

// Split implements ingest.Framer.
func (p *partialFrame) Split(b []byte, at int64, emit func(*schema.Frame) error) error {
	p.bytes += len(b)
	if !p.holds && p.bytes >= largeFrame {
		if err := p.places.places.Acquire(p.ctx, 1); err != nil {
			return context.Cause(p.ctx)
		}
		p.holds = true
		inLargeFrames.Inc()
	}
	err := p.framer.Split(b, at, func(f *schema.Frame) error {
		p.bytes = max(0, p.bytes-len(f.Raw)) // the remaining bytes belong to the next frame
		return emit(f)
	})
	if p.bytes < largeFrame {
		p.release()
	}
	return err
}

// End implements ingest.Framer.
func (p *partialFrame) End(at int64, emit func(*schema.Frame) error) error {
	return p.framer.End(at, emit)
}

// release releases the place.
func (p *partialFrame) release() {
	if p.holds {
		p.holds = false
		inLargeFrames.Dec()
		p.places.places.Release(1)
	}
}

var inLargeFrames = metric.Gauge(metric.Ingest, "tapedeck_ingest_large_frames",
	"Request bodies that are in the midst of a large frame; --max-large-frames bounds them, and further ones wait.")
