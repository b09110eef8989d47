package sink

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// delivery is a message, or the error that ended the subscription.
type delivery struct {
	msg jetstream.Msg
	at  time.Time // when it arrived
	err error
}

// iterator is the used part of jetstream.MessagesContext.
type iterator interface {
	Next(...jetstream.NextOpt) (jetstream.Msg, error)
}

// receive passes messages on until the subscription ends, and closes to. If the server
// misses its heartbeats, for example on a busy machine, the iterator pulls again: a new
// subscription would have all messages that were delivered and not passed on delivered
// again. check returns why the consumer is unavailable, nil if it is available. The end of
// ctx is a failure like any other.
func receive(ctx context.Context, messages iterator, check func() error, to chan<- delivery) {
	defer close(to)
	for {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if errors.Is(err, jetstream.ErrNoHeartbeat) {
			gone := check()
			if gone == nil {
				continue
			}
			err = fmt.Errorf("%w: %w", err, gone)
		}
		to <- delivery{m, time.Now(), err}
		if err != nil {
			return
		}
	}
}

// checkConsumer returns an error if a consumer that missed its heartbeats does not answer.
func (s *Sink) checkConsumer(ctx context.Context, consumer jetstream.Consumer) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if _, err := consumer.Info(ctx); err != nil {
		return err
	}
	s.log.Debug("sink: NATS missed heartbeats, pulling again")
	return nil
}

const answerTimeout = 5 * time.Second

const (
	// pullBytes is the minimum size of a pull, bytes: enough for a batch.
	pullBytes = 8 << 20
	// pullBlocks is the maximum number of messages of a pull, large enough for small ones.
	// The client allocates this many pointers at once.
	pullBlocks = 8192
	// subjectRoom bounds the size of a message besides its payload: its subjects.
	subjectRoom = 64 << 10
)

// pullSize returns the size of a pull, bytes. It covers the largest possible message, since
// JetStream stops delivering at a message that is larger than the pull. It is not much more
// than that, so that NATS does not treat the sink as a slow consumer.
func pullSize(nc *nats.Conn) int { return max(pullBytes, int(nc.MaxPayload())+subjectRoom) }
