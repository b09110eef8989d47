package sink

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// delivery is a message that has arrived.
type delivery struct {
	msg jetstream.Msg
	at  time.Time
}

// iterator is the part of jetstream.MessagesContext that the receiver uses.
type iterator interface {
	Next(...jetstream.NextOpt) (jetstream.Msg, error)
	Drain()
	Stop()
}

// receiver receives the messages of a partition, and pauses while the held messages reach their
// bound.
type receiver struct {
	subscribe func() (iterator, error)
	room      int // bytes that the subscriptions of all partitions may still deliver after they were drained
	held      *held
	// check returns the reason why the consumer is unavailable, nil if it is available.
	check func() error
	to    lanes
}

// lanes are the channels to the two gatherers: one for bulk recordings and one for all other
// messages.
type lanes struct{ bulk, others chan delivery }

// newLanes returns lanes that have room for maxAckPending messages, so that the receivers do not
// wait for the gatherers.
func newLanes() lanes {
	return lanes{make(chan delivery, maxAckPending), make(chan delivery, maxAckPending)}
}

// pass sends a message to the gatherer that it belongs to.
func (l lanes) pass(d delivery) {
	if isBulk(d.msg) {
		l.bulk <- d
	} else {
		l.others <- d
	}
}

// close ends both gatherers.
func (l lanes) close() {
	close(l.bulk)
	close(l.others)
}

// run passes messages on until accept ends or a subscription fails. If the held messages leave no
// room for another pull, run ends the subscription, and makes a new one once there is room: a
// subscription that is not read would hold messages without resetting their timers. Messages that
// an ended subscription still delivers are passed on until read ends.
func (r *receiver) run(accept, read context.Context) (err error) {
	for err == nil && r.held.awaitRoom(accept, r.room) == nil {
		var messages iterator
		if messages, err = r.subscribe(); err == nil {
			stop := context.AfterFunc(accept, messages.Drain)
			err = r.receive(read, messages)
			stop()
			messages.Stop()
		}
	}
	return err
}

// receive passes messages on until the subscription ends. The error is nil if the subscription was
// ended for lack of room. If the server misses its heartbeats, for example on a busy machine, the
// iterator pulls again; a new subscription would cause JetStream to redeliver all messages that
// were delivered and not passed on. The end of ctx is a failure like any other.
func (r *receiver) receive(ctx context.Context, messages iterator) error {
	full := false
	for {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if errors.Is(err, jetstream.ErrNoHeartbeat) {
			gone := r.check()
			if gone == nil {
				continue
			}
			err = fmt.Errorf("%w: %w", err, gone)
		}
		if full && ended(err) {
			return nil
		}
		if err != nil {
			return err
		}
		now := time.Now()
		if m = r.held.add(m, now); m != nil {
			r.to.pass(delivery{msg: m, at: now})
		}
		if !full && !r.held.roomFor(r.room) {
			full = true
			messages.Drain()
		}
	}
}

// ended reports whether this sink ended the subscription.
func ended(err error) bool { return errors.Is(err, jetstream.ErrMsgIteratorClosed) }

// checkConsumer returns an error if the consumer missed its heartbeats and does not answer a
// request.
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
	// pullBytes is the minimum size of a pull, bytes. It is enough for a batch.
	pullBytes = 8 << 20
	// pullBlocks is the maximum number of messages of a pull. It is large enough for small
	// messages. The client allocates this many pointers at once.
	pullBlocks = 8192
	// subjectRoom bounds the size of a message without its payload, bytes.
	subjectRoom = 64 << 10
)

// pullSize returns the size of a pull of one of several partitions, bytes. It covers the largest
// message that NATS accepts, since JetStream stops delivering at a message that is larger than the pull. It
// is only slightly larger, so that NATS does not treat the sink as a slow consumer.
func pullSize(nc *nats.Conn, partitions int) int {
	return max(pullBytes/partitions, int(nc.MaxPayload())+subjectRoom)
}
