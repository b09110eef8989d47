package jetstream

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// Replicas returns the number of replicas of the stream of blocks (--replicas), which other streams
// and buckets have, too. It returns 1 if the stream does not exist.
func Replicas(ctx context.Context, js jetstream.JetStream) (int, error) {
	s, err := js.Stream(ctx, StreamName)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return 1, nil
	}
	if err != nil {
		return 0, fmt.Errorf("JetStream stream %s: %w", StreamName, err)
	}
	return s.CachedInfo().Config.Replicas, nil
}
