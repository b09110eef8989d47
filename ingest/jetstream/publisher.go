package jetstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/semaphore"

	"tapedeck/ingest"
)

// Publisher publishes blocks to JetStream. A block is durable when JetStream
// has confirmed it (PubAck).
type Publisher struct {
	nc     *nats.Conn
	js     jetstream.JetStream
	window *semaphore.Weighted // bytes on their way

	mu    sync.Mutex // guards onWay
	onWay map[*nats.Msg]func(error)
}

const (
	windowBytes  = 32 << 20
	windowBlocks = 4096
	// A confirmation that takes longer has failed; the block may be there
	// nevertheless, which its id and its keys make harmless.
	ackTimeout = 10 * time.Second
)

// NewPublisher makes a publisher on a connection, which stays the caller's.
func NewPublisher(nc *nats.Conn) (*Publisher, error) {
	p := &Publisher{nc: nc, window: semaphore.NewWeighted(windowBytes), onWay: map[*nats.Msg]func(error){}}
	js, err := jetstream.New(nc,
		jetstream.WithPublishAsyncMaxPending(windowBlocks),
		jetstream.WithPublishAsyncTimeout(ackTimeout),
		jetstream.WithPublishAsyncAckHandler(func(_ jetstream.JetStream, m *nats.Msg, _ *jetstream.PubAck) { p.landed(m, nil) }),
		jetstream.WithPublishAsyncErrHandler(func(_ jetstream.JetStream, m *nats.Msg, err error) { p.landed(m, err) }),
	)
	if err != nil {
		return nil, fmt.Errorf("JetStream: %w", err)
	}
	p.js = js
	return p, nil
}

// Publish implements ingest.Publisher. It fails at once while the connection is
// down; a block that the server cannot take at any time fails with
// ingest.Permanent.
func (p *Publisher) Publish(ctx context.Context, parcel ingest.Parcel, done func(error)) error {
	if limit := p.nc.MaxPayload(); limit > 0 && int64(len(parcel.Data))+headerRoom > limit {
		return ingest.Permanent(fmt.Errorf("block of %d bytes is over the NATS server's max_payload of %d: "+
			"raise max_payload, or lower the frame limit", len(parcel.Data), limit))
	}
	if !p.nc.IsConnected() {
		return fmt.Errorf("NATS at %s: %w", p.nc.ConnectedUrlRedacted(), nats.ErrDisconnected)
	}
	if err := p.window.Acquire(ctx, weight(parcel.Data)); err != nil {
		return fmt.Errorf("JetStream does not confirm what was sent: %w", err)
	}
	m := &nats.Msg{Subject: ingest.Subject(parcel.Tenant, parcel.Session), Data: parcel.Data}
	p.mu.Lock()
	p.onWay[m] = done
	p.mu.Unlock()
	_, err := p.js.PublishMsgAsync(m, jetstream.WithMsgID(parcel.ID), jetstream.WithStallWait(ackTimeout),
		jetstream.WithRetryAttempts(0))
	if err == nil {
		return nil
	}
	if p.take(m) == nil {
		return nil // its fate was told already
	}
	p.window.Release(weight(m.Data))
	return fmt.Errorf("publish to JetStream: %w", err)
}

// headerRoom is what the message's headers may take of max_payload, bytes.
const headerRoom = 512

func weight(data []byte) int64 { return min(int64(len(data))+headerRoom, windowBytes) }

func (p *Publisher) take(m *nats.Msg) func(error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	done := p.onWay[m]
	delete(p.onWay, m)
	return done
}

func (p *Publisher) landed(m *nats.Msg, err error) {
	done := p.take(m)
	if done == nil {
		return
	}
	p.window.Release(weight(m.Data))
	if err != nil {
		err = fmt.Errorf("publish to JetStream: %w", explain(err))
	}
	done(err)
}

// explain adds what to do where an error of JetStream does not say it.
func explain(err error) error {
	var api *jetstream.APIError
	switch {
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrNoStreamResponse):
		return fmt.Errorf("stream %s does not answer: %w", StreamName, err)
	case errors.As(err, &api) && api.ErrorCode == maximumBytesExceeded:
		return fmt.Errorf("stream %s is full because the sink is behind: %w", StreamName, err)
	}
	return err
}

// maximumBytesExceeded is JetStream's JSStreamStoreFailedF for a full stream.
const maximumBytesExceeded = 10077
