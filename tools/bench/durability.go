package bench

import (
	"context"
	"time"

	"tapedeck/ingest/delivery/jetstream"
)

// Durability holds the passes of publishing with one durability setting.
type Durability struct {
	Name   jetstream.Durability `json:"name"`
	Passes Passes               `json:"passes"`
}

func measureDurability(ctx context.Context, h *harness, r *Results) (err error) {
	blocks, err := h.encodedBlocks(ctx)
	if err != nil {
		return err
	}
	plain, err := startBroker(h, "written", false)
	if err != nil {
		return err
	}
	defer func() { err = plain.close(ctx, err) }()
	syncing, err := startBroker(h, "fsynced", true)
	if err != nil {
		return err
	}
	defer func() { err = syncing.close(ctx, err) }()
	r.Durability = []Durability{{Name: jetstream.Memory}, {Name: jetstream.Written}, {Name: jetstream.Fsynced}}
	var turns []turn
	for i := range r.Durability {
		d, server := &r.Durability[i], plain
		if d.Name == jetstream.Fsynced {
			server = syncing
		}
		turns = append(turns, turn{&d.Passes, func() (Pass, error) {
			return server.publish(ctx, blocks, d.Name, pick(h, 2*time.Second, 10*time.Millisecond))
		}})
	}
	return alternate(pick(h, 3, 1), turns...)
}
