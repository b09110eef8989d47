package server

import (
	"context"
	"fmt"
	"time"

	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/jetstream"
	"tapedeck/ingest/sink"
)

// blockGrace is how long live readers have to receive blocks before these are removed,
// blockLimit bounds the wait for the sink.
const (
	blockGrace = 5 * time.Second
	blockLimit = time.Minute
)

// removeBlocks removes all blocks from JetStream that are there now, once the sink has stored
// them, with the files that they are in.
func (s *Server) removeBlocks(ctx context.Context) error {
	js, err := njs.New(s.Node.NATS)
	if err != nil {
		return fmt.Errorf("JetStream: %w", err)
	}
	last, err := jetstream.Roll(ctx, js, ingest.FillerSubject)
	if err != nil {
		return err
	}
	for end := time.Now().Add(blockLimit); ; {
		waits, err := jetstream.RemoveStored(ctx, js, sink.ConsumerName, last, blockGrace)
		if err != nil || waits == "" {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("blocks in JetStream still wait for %s", waits)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(500 * time.Millisecond):
		}
	}
}
