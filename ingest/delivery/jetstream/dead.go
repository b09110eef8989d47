package jetstream

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// deadShare divides the size limit of the stream of blocks: the quotient is the limit of the
	// dead-letter stream, which is additional. deadAtLeast is the minimum that is requested, bytes.
	deadShare   = 16
	deadAtLeast = 64 << 20
	// deadSmallest is the limit below which no dead-letter stream is created, since it would hold
	// too few blocks.
	deadSmallest = 1 << 20
)

// deadLimit returns the size limit to request for the dead-letter stream, bytes.
func (c Config) deadLimit() int64 { return max(c.WithDefaults().MaxBytes/deadShare, deadAtLeast) }

// EnsureDead creates the dead-letter stream or updates its settings. If the server's storage limit
// does not allow the requested size, EnsureDead requests half, a quarter and so on. It never
// shrinks an existing stream. It returns the stream's size limit and whether this is the requested
// size. If it is not, a later call enlarges the stream once the server has room.
func EnsureDead(ctx context.Context, js jetstream.JetStream, c Config) (limit int64, whole bool, err error) {
	c = c.WithDefaults()
	want := c.deadLimit()
	least := int64(deadSmallest)
	old, err := js.Stream(ctx, DeadName)
	switch {
	case err == nil:
		least = old.CachedInfo().Config.MaxBytes
		want = max(want, least)
	case !errors.Is(err, jetstream.ErrStreamNotFound):
		return 0, false, fmt.Errorf("look for JetStream stream %s: %w", DeadName, err)
	}
	for limit = want; ; limit = max(limit/2, least) {
		_, err = js.CreateOrUpdateStream(ctx, deadStream(c, limit))
		if err == nil {
			return limit, limit == want, nil
		}
		if !IsStorageFull(err) || limit <= least {
			return 0, false, fmt.Errorf("create JetStream stream %s of %d bytes: %w", DeadName, limit, err)
		}
	}
}

func deadStream(c Config, limit int64) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: DeadName, Description: "tapedeck: blocks that could not be stored",
		Subjects: []string{DeadSubject}, Storage: jetstream.FileStorage,
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
		MaxBytes: limit, Replicas: c.Replicas, AllowDirect: true,
	}
}

// Error codes of JetStream for a stream that does not fit within the storage limit of the server or
// the account.
const (
	insufficientResources    jetstream.ErrorCode = 10023
	storageResourcesExceeded jetstream.ErrorCode = 10047
)

// IsStorageFull reports whether JetStream has no room for a stream of the requested size.
func IsStorageFull(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && (api.ErrorCode == insufficientResources || api.ErrorCode == storageResourcesExceeded)
}
