package jetstream

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// Durability defines what an acknowledgement of a block means: which failures the block
// survives.
type Durability string

const (
	// Memory: JetStream holds the block in memory and writes it later. If the NATS server
	// is killed, the latest acknowledged blocks may be lost.
	Memory Durability = "memory"
	// Written: the block was passed to the operating system. It survives a kill of any
	// process; a power failure may lose the latest blocks.
	Written Durability = "written"
	// Fsynced: the block is on disk. This requires a NATS server with sync_interval always, which
	// is a setting of the server. Local mode sets it.
	Fsynced Durability = "fsynced"
)

// persistMode returns the persist mode of the stream. The sync interval is a setting of the server.
func (d Durability) persistMode() jetstream.PersistModeType {
	if d == Memory {
		return jetstream.AsyncPersistMode
	}
	return jetstream.DefaultPersistMode
}

// ErrNotEmpty reports that a stream must be recreated or replaced, to change its durability or the
// number of partitions, but holds blocks that are not stored.
var ErrNotEmpty = errors.New("the stream holds blocks that are not stored")

// ensureBlocks creates or updates the stream of a partition.
func ensureBlocks(
	ctx context.Context, js jetstream.JetStream, c Config, want jetstream.StreamConfig,
) (jetstream.Stream, error) {
	old, err := js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return js.CreateStream(ctx, want)
	}
	if err != nil {
		return nil, err
	}
	if old.CachedInfo().Config.PersistMode == want.PersistMode {
		want.FirstSeq = old.CachedInfo().Config.FirstSeq // JetStream does not change it
		return js.UpdateStream(ctx, want)
	}
	if !c.Recreate {
		return nil, fmt.Errorf("JetStream cannot change the durability of an existing stream to %s: "+
			"stop the recorders, wait until the sink has stored all blocks, and remove the stream", c.Durability)
	}
	if err := allStored(ctx, old); err != nil {
		return nil, fmt.Errorf("change the durability to %s: %w: start with the previous durability "+
			"until the sink has stored them", c.Durability, err)
	}
	if err := js.DeleteStream(ctx, want.Name); err != nil {
		return nil, err
	}
	return js.CreateStream(ctx, want)
}

// allStored returns ErrNotEmpty if the stream holds blocks that the sink has not stored.
func allStored(ctx context.Context, s jetstream.Stream) error {
	state := s.CachedInfo().State
	if state.Msgs == 0 {
		return nil
	}
	sinks, err := sinkConsumers(ctx, s)
	if err != nil {
		return err
	}
	if len(sinks) == 0 {
		return ErrNotEmpty
	}
	for _, c := range sinks {
		if drained, err := Drained(ctx, s, c, state.LastSeq); err != nil {
			return err
		} else if !drained {
			return ErrNotEmpty
		}
	}
	return nil
}

// sinkConsumers returns the consumers of sinks, which are durable, unlike those of live readers. It
// reads the list to its end: the library's goroutine that sends it does not end before.
func sinkConsumers(ctx context.Context, s jetstream.Stream) (list []*jetstream.ConsumerInfo, _ error) {
	all := s.ListConsumers(ctx)
	for info := range all.Info() {
		if info.Config.Durable != "" {
			list = append(list, info)
		}
	}
	return list, all.Err()
}
