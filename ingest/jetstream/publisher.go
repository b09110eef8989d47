package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/semaphore"

	"tapedeck/ingest"
)

// Publisher publishes blocks to JetStream. A block is durable when JetStream
// has confirmed it (PubAck). Blocks that come faster than JetStream confirms are
// sent several to a message.
type Publisher struct {
	nc      *nats.Conn
	window  *semaphore.Weighted // bytes in flight
	answers answers

	mu       sync.Mutex // guards what follows, and that messages leave in the order of their blocks
	gathered gathered
	data     []byte // room for a message
}

const (
	windowBytes  = 32 << 20
	windowBlocks = 4096
	// A confirmation that takes longer has failed; the block may be there
	// nevertheless, which its id and its keys make harmless.
	ackTimeout = 10 * time.Second
)

// NewPublisher makes a publisher on a connection, which stays the caller's. Until
// that is closed, the publisher listens on it for JetStream's answers. While it is
// away, the connection should not keep what is published (nats.ReconnectBufSize(-1)),
// so that blocks fail at once and can be kept elsewhere.
func NewPublisher(nc *nats.Conn) (*Publisher, error) {
	if nc.IsClosed() {
		return nil, fmt.Errorf("JetStream: %w", nats.ErrConnectionClosed)
	}
	p := &Publisher{nc: nc, window: semaphore.NewWeighted(windowBytes), gathered: newGathered()}
	p.answers.init(nc, p.window.Release, p.answered)
	return p, nil
}

// Publish implements ingest.Publisher. It fails at once while the connection is
// down; a block that the server cannot take at any time fails with
// ingest.Permanent.
func (p *Publisher) Publish(ctx context.Context, parcel ingest.EncodedBlock, done func(error)) error {
	limit := p.nc.MaxPayload()
	if limit > 0 && int64(len(parcel.Data))+headerRoom > limit {
		return ingest.Permanent(fmt.Errorf("block of %d bytes is over the NATS server's max_payload of %d: "+
			"raise max_payload, or lower the frame limit", len(parcel.Data), limit))
	}
	if !p.nc.IsConnected() {
		return fmt.Errorf("NATS at %s: %w", p.nc.ConnectedUrlRedacted(), nats.ErrDisconnected)
	}
	weight := weight(parcel.Data)
	if err := p.window.Acquire(ctx, weight); err != nil {
		return fmt.Errorf("JetStream does not confirm what was sent: %w", err)
	}
	most := bundleBytes
	if limit > 0 {
		most = min(most, int(limit)-headerRoom)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	bucket := bucketOf(&parcel)
	b := p.gathered.by[bucket]
	if b != nil && !b.takes(&parcel, most) {
		p.send(b)
		b = nil
	}
	if b == nil {
		b = p.gathered.open(bucket)
	}
	b.add(&parcel, weight, done)
	p.sendDue()
	return nil
}

// answered is called after fewer messages are in flight.
func (p *Publisher) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sendDue()
}

// sendDue sends what need not wait for more. It needs mu.
func (p *Publisher) sendDue() {
	for {
		b := p.gathered.due(p.answers.waiting())
		if b == nil {
			return
		}
		p.send(b)
	}
}

// send sends a bundle that was gathered. It needs mu.
func (p *Publisher) send(b *bundle) {
	p.gathered.take(b)
	m := sent{weight: b.weight, done: b.settle}
	number, reply, err := p.answers.expect(m)
	if err != nil {
		err = fmt.Errorf("listen for JetStream's answers: %w", err)
	} else {
		var msg *nats.Msg
		msg, p.data = b.message(p.data)
		msg.Reply = reply
		sentMessages.Inc()
		sentBlocks.Add(float64(len(b.dones)))
		if err = p.nc.PublishMsg(msg); err != nil {
			err = fmt.Errorf("publish to JetStream: %w", err)
			if _, waits := p.answers.take(number); !waits {
				err = nil // it was settled already
			}
		}
	}
	b.sent()
	if err != nil {
		p.window.Release(m.weight)
		go m.done(err)
	}
}

// headerRoom is what the message's headers may take of max_payload, bytes.
const headerRoom = 512

// weight is what a block takes of the window: such that no more than windowBlocks
// fit in, and any block does.
func weight(data []byte) int64 {
	return min(max(int64(len(data))+headerRoom, windowBytes/windowBlocks), windowBytes)
}

// explain adds what to do where an error of JetStream does not say it.
func explain(err error) error {
	var api *jetstream.APIError
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("stream %s does not answer: %w", StreamName, err)
	case errors.As(err, &api) && api.ErrorCode == maximumBytesExceeded:
		return fmt.Errorf("stream %s is full because the sink is behind: %w", StreamName, err)
	}
	return err
}

// maximumBytesExceeded is JetStream's JSStreamStoreFailedF for a full stream.
const maximumBytesExceeded = 10077

// replyOf is where the answer to a message goes.
func replyOf(inbox string, number uint64) string { return inbox + strconv.FormatUint(number, 36) }

// numberOf is the reverse; false for what no message asked for.
func numberOf(inbox, reply string) (uint64, bool) {
	if len(reply) <= len(inbox) {
		return 0, false
	}
	number, err := strconv.ParseUint(reply[len(inbox):], 36, 64)
	return number, err == nil
}
