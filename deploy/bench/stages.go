package bench

import (
	"context"
	"fmt"
	"os"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ndjson"
	"tapedeck/ingest/pump"
	"tapedeck/schema"
)

// Stage is one measurement.
type Stage struct {
	Name   string
	Frames uint64
	Bytes  uint64
	Took   time.Duration
	CPU    time.Duration // of all processes concerned; 0 where it was not measured
}

// Rate is frames per second.
func (s *Stage) Rate() float64 { return float64(s.Frames) / s.Took.Seconds() }

// Record records a file to a publisher: what `tapedeck record FILE` does.
func Record(ctx context.Context, name, path string, p ingest.Publisher) (Stage, ingest.Summary, error) {
	f, err := os.Open(path)
	if err != nil {
		return Stage{}, ingest.Summary{}, err
	}
	defer f.Close()
	began := time.Now()
	s, err := ingest.NewRecorder(p, ingest.Settings{}, nil).Open(ingest.StreamOptions{Transport: schema.NDJSON, Source: path})
	if err != nil {
		return Stage{}, ingest.Summary{}, err
	}
	sum, err := pump.Pump(ctx, pump.NewFileReader(f), ndjson.NewCutter(ingest.DefaultFrameLimit), s)
	if err != nil {
		return Stage{}, sum, fmt.Errorf("%s: %w", name, err)
	}
	return Stage{Name: name, Frames: sum.Frames, Bytes: sum.Bytes, Took: time.Since(began)}, sum, nil
}

// Nowhere is a publisher that throws blocks away: what the tap and the dialect
// cost by themselves.
type Nowhere struct{}

// Publish confirms the block at once.
func (Nowhere) Publish(_ context.Context, _ ingest.Parcel, done func(error)) error {
	go done(nil)
	return nil
}
