package jetstream

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// Durability is what it means that a block is acknowledged: what has to fail
// for it to be lost.
type Durability string

const (
	// Memory: JetStream has it in memory and writes it soon. A kill of the NATS
	// server may lose what it acknowledged last.
	Memory Durability = "memory"
	// Written: it was handed to the operating system. Any process may be killed
	// at any moment; a power cut may lose the last of it.
	Written Durability = "written"
	// Fsynced: it is on the disk. It takes a NATS server that syncs always,
	// which is a setting of the server: local mode sets it itself.
	Fsynced Durability = "fsynced"
)

// persistMode is the setting of the stream; whether the server syncs is its own.
func (d Durability) persistMode() jetstream.PersistModeType {
	if d == Memory {
		return jetstream.AsyncPersistMode
	}
	return jetstream.DefaultPersistMode
}

// ErrNotEmpty says that a stream would have to be made anew for another
// durability, and still holds what is not stored.
var ErrNotEmpty = errors.New("the stream holds blocks that are not stored")

// ensureBlocks makes or updates the stream of blocks.
func ensureBlocks(ctx context.Context, js jetstream.JetStream, c Config, want jetstream.StreamConfig) (jetstream.Stream, error) {
	old, err := js.Stream(ctx, StreamName)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return js.CreateStream(ctx, want)
	}
	if err != nil {
		return nil, err
	}
	if old.CachedInfo().Config.PersistMode == want.PersistMode {
		return js.UpdateStream(ctx, want)
	}
	if !c.Recreate {
		return nil, fmt.Errorf("JetStream cannot change what an acknowledgement means (%s) for a stream that exists: "+
			"stop the recorders, let the sink store all of it, and remove the stream", c.Durability)
	}
	if err := allStored(ctx, old); err != nil {
		return nil, fmt.Errorf("change the durability to %s: %w: start once more with the one before, "+
			"until the sink has stored them", c.Durability, err)
	}
	if err := js.DeleteStream(ctx, StreamName); err != nil {
		return nil, err
	}
	return js.CreateStream(ctx, want)
}

// allStored reports whether the sink has stored all that the stream holds.
func allStored(ctx context.Context, s jetstream.Stream) error {
	state := s.CachedInfo().State
	if state.Msgs == 0 {
		return nil
	}
	lister := s.ListConsumers(ctx)
	consumers := 0
	for info := range lister.Info() {
		consumers++
		if info.NumPending > 0 || info.NumAckPending > 0 {
			return ErrNotEmpty
		}
	}
	if err := lister.Err(); err != nil {
		return err
	}
	if consumers == 0 {
		return ErrNotEmpty
	}
	return nil
}
