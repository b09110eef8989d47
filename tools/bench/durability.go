package bench

import (
	"context"
	"time"

	"tapedeck/ingest/delivery/jetstream"
)

// durability measures publishing under each meaning of an acknowledgement.
type durability struct{ rates []durableRate }

type durableRate struct {
	name jetstream.Durability
	runs Laps
}

func (s *durability) measure(ctx context.Context, w *workshop) (err error) {
	blocks, err := w.encodedBlocks(ctx)
	if err != nil {
		return err
	}
	plain, err := startBroker(w, "written", false)
	if err != nil {
		return err
	}
	defer func() { err = plain.close(ctx, err) }()
	syncing, err := startBroker(w, "fsynced", true)
	if err != nil {
		return err
	}
	defer func() { err = syncing.close(ctx, err) }()
	s.rates = []durableRate{{name: jetstream.Memory}, {name: jetstream.Written}, {name: jetstream.Fsynced}}
	for range full(w, 3, 1) {
		for i := range s.rates {
			r := &s.rates[i]
			server := plain
			if r.name == jetstream.Fsynced {
				server = syncing
			}
			run, err := server.publish(ctx, blocks, r.name, full(w, 2*time.Second, 10*time.Millisecond))
			if err != nil {
				return err
			}
			r.runs = append(r.runs, run)
		}
	}
	return nil
}

func (s *durability) write(p *page) {
	p.text("The same blocks, published as above, under each setting of `--durability`: what has to fail for a confirmed block to be lost.")
	p.table("| `--durability` | frames/s | bytes/s | blocks/s | CPU-seconds per million frames |", "|---|---:|---:|---:|---:|")
	for _, r := range s.rates {
		m := r.runs.Median()
		p.row(string(r.name), r.runs.median(), megabytes(m.ByteRate()), count(m.MessageRate()), cpuSeconds(m.CPU, m.Frames))
	}
}

func (s *durability) bars() []bar { return nil }
