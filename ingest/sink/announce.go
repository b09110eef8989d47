package sink

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// errUnannounced reports that a batch was stored, and that its sessions could not be announced as
// changed. Its messages are not acknowledged, so they are stored and announced again.
var errUnannounced = errors.New("stored and not announced")

// announceTimeout bounds an announcement.
const announceTimeout = 5 * time.Second

// announce announces the sessions of a batch that was stored. If the stream of announcements does
// not exist, it does nothing: caches then keep nothing.
func (s *Sink) announce(ctx context.Context, b *batch) error {
	if s.changes == nil || len(b.changed) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, announceTimeout)
	defer cancel()
	err := s.changes.IDs(ctx, slices.Collect(maps.Keys(b.changed)))
	if err != nil && !errors.Is(err, jetstream.ErrNoStreamResponse) {
		return fmt.Errorf("%w: %w", errUnannounced, err)
	}
	return nil
}
