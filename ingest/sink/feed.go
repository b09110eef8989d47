package sink

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// delivery is a message, or why there will be no more.
type delivery struct {
	msg jetstream.Msg
	at  time.Time // when it came
	err error
}

// iterator is what of a jetstream.MessagesContext is used here.
type iterator interface {
	Next(...jetstream.NextOpt) (jetstream.Msg, error)
}

// feed hands on messages until there will be no more, and closes to. A server that
// was silent for longer than its heartbeats allow, as one on a busy machine is,
// need only be asked again, which the iterator does: to give it up would have all
// that was delivered and not handed on come again. there tells why the consumer
// cannot be asked, nil if it can. The end of ctx is a failure like any other.
func feed(ctx context.Context, messages iterator, there func() error, to chan<- delivery) {
	defer close(to)
	for {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if errors.Is(err, jetstream.ErrNoHeartbeat) {
			gone := there()
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

// answers asks whether a consumer that was silent is there.
func (s *Sink) answers(ctx context.Context, consumer jetstream.Consumer) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if _, err := consumer.Info(ctx); err != nil {
		return err
	}
	s.log.Debug("sink: NATS was silent, and is asked again")
	return nil
}

const answerTimeout = 5 * time.Second

const (
	// What one pull asks for at least, bytes: enough for a batch.
	pullBytes = 8 << 20
	// And at most, blocks: many also where they are small. Room for so many
	// pointers is taken at once.
	pullBlocks = 8192
	// What a message takes besides its payload: its subjects.
	subjectRoom = 64 << 10
)

// pullSize is what one pull asks for, bytes: also the largest message there can be,
// since JetStream delivers nothing from one on that is larger; and not much more,
// for NATS not to take the sink for a slow consumer.
func pullSize(nc *nats.Conn) int { return max(pullBytes, int(nc.MaxPayload())+subjectRoom) }
