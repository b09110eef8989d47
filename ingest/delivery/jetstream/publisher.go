package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/semaphore"

	"tapedeck/ingest"
	"tapedeck/internal/tracing"
)

// Publisher publishes blocks to JetStream. A block is durable when JetStream has acknowledged it
// (PubAck). If blocks arrive faster than acknowledgements, Publisher sends several blocks in one
// message.
type Publisher struct {
	nc      *nats.Conn
	window  *semaphore.Weighted // bytes in flight
	answers answers
	layout  *Layout
	// partitions is the number of partitions; 0 if it is to be read.
	partitions atomic.Int32

	mu       sync.Mutex // guards the fields below, and keeps messages in the order of their blocks
	gathered gathered
	bulk     BulkStreams
	data     []byte // buffer for a message
}

const (
	windowBytes  = 16 << 20 // NATS copies what is in flight several times
	windowBlocks = 4096
	// ackTimeout is how long JetStream may take to acknowledge a message. A block whose
	// acknowledgement is late may still be stored. A second copy of the block has the same id and
	// keys, so it is harmless.
	ackTimeout = 10 * time.Second
)

// NewPublisher returns a publisher on a connection, which the caller closes. Until then the
// publisher is subscribed to the acknowledgements of JetStream. The connection should not buffer
// messages while it is disconnected (nats.ReconnectBufSize(-1)): then publishing fails at once, and
// blocks are spooled.
func NewPublisher(nc *nats.Conn) (*Publisher, error) {
	if nc.IsClosed() {
		return nil, fmt.Errorf("JetStream: %w", nats.ErrConnectionClosed)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("JetStream: %w", err)
	}
	p := &Publisher{nc: nc, window: semaphore.NewWeighted(windowBytes), gathered: newGathered(), layout: NewLayout(js)}
	p.answers.init(nc, p.window.Release, p.answered, func() { p.partitions.Store(0) })
	return p, nil
}

// Publish implements ingest.Publisher. It fails at once while the connection is down. It fails with
// ingest.Permanent if the block is too large for the server.
func (p *Publisher) Publish(ctx context.Context, encoded ingest.EncodedBlock, done func(error)) error {
	limit := p.nc.MaxPayload()
	if limit > 0 && int64(len(encoded.Data))+headerRoom > limit {
		return ingest.Permanent(
			&ingest.TooLargeError{Detail: fmt.Sprintf("block of %d bytes is over the NATS server's max_payload of %d: "+
				"raise max_payload, or lower --max-frame-bytes (--frame-limit of a recording command)", len(encoded.Data), limit)},
		)
	}
	if !p.nc.IsConnected() {
		return fmt.Errorf("NATS at %s: %w", p.nc.ConnectedUrlRedacted(), nats.ErrDisconnected)
	}
	p.readPartitions(ctx)
	weight := weight(encoded.Data)
	if err := p.window.Acquire(ctx, weight); err != nil {
		return fmt.Errorf("JetStream does not acknowledge the messages in flight: %w", err)
	}
	most := bundleBytes
	if limit > 0 {
		most = min(most, int(limit)-headerRoom)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	bucket := bucketOf(&encoded, p.bulk.Add(&encoded, time.Now()))
	if before := p.gathered.by[bucket.other()]; before != nil && before.has(encoded.Session) {
		p.send(before) // so that the blocks of a stream stay in order as it becomes a bulk recording, or is none any more
	}
	b := p.gathered.by[bucket]
	if b != nil && !b.takes(&encoded, most) {
		p.send(b)
		b = nil
	}
	if b == nil {
		b = p.gathered.open(bucket)
		b.origin = trace.SpanContextFromContext(ctx)
	}
	b.add(&encoded, weight, done)
	for b := p.due(); b != nil; b = p.due() {
		p.send(b)
	}
	return nil
}

// readPartitions reads the number of partitions if it is unknown. If it stays unknown, the blocks have
// the subjects of one partition: a stream of more partitions does not accept them.
func (p *Publisher) readPartitions(ctx context.Context) {
	if p.partitions.Load() > 0 {
		return
	}
	if of, err := p.layout.Partitions(ctx); err == nil {
		p.partitions.Store(int32(of))
	}
}

// answered is called when fewer messages are in flight.
func (p *Publisher) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for b := p.due(); b != nil; b = p.due() {
		p.send(b)
	}
}

// due returns the next bundle to send, nil if none is to be sent now. mu is held.
func (p *Publisher) due() *bundle { return p.gathered.due(p.answers.waiting()) }

// send sends a gathered bundle. mu is held.
func (p *Publisher) send(b *bundle) {
	p.gathered.take(b)
	ctx, span := beginPublish(b)
	m := sent{weight: b.weight, dones: b.dones, span: span}
	number, reply, err := p.answers.expect(m)
	if err != nil {
		err = fmt.Errorf("subscribe to JetStream's answers: %w", err)
	} else {
		var msg *nats.Msg
		msg, p.data = b.message(p.data, int(p.partitions.Load()))
		msg.Reply = reply
		tracing.Inject(ctx, msg.Header)
		sentMessages.Inc()
		sentBlocks.Add(float64(len(b.dones)))
		if err = p.nc.PublishMsg(msg); err != nil {
			err = fmt.Errorf("publish to JetStream: %w", err)
			if _, waits := p.answers.take(number); !waits {
				err = nil // the bundle was settled before
			}
		}
	}
	b.sent()
	if err != nil {
		p.window.Release(m.weight)
		if span != nil {
			tracing.End(span, err, "unavailable")
		}
		go func() {
			for _, done := range m.dones {
				done(err)
			}
		}()
	}
}

// headerRoom bounds the size of the message's headers, bytes. Headers count towards max_payload.
const headerRoom = 512

// weight returns the weight of a block in the window. At most windowBlocks blocks fit into the
// window. A single block of any size fits.
func weight(data []byte) int64 {
	return min(max(int64(len(data))+headerRoom, windowBytes/windowBlocks), windowBytes)
}

// explain adds the remedy to an error of JetStream.
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

// maximumBytesExceeded is JetStream's error code JSStreamStoreFailedF for a full stream.
const maximumBytesExceeded = 10077

// replyOf returns the reply subject of a message.
func replyOf(inbox string, number uint64) string { return inbox + strconv.FormatUint(number, 36) }

// numberOf is the inverse of replyOf. It returns false for a foreign subject.
func numberOf(inbox, reply string) (uint64, bool) {
	if len(reply) <= len(inbox) {
		return 0, false
	}
	number, err := strconv.ParseUint(reply[len(inbox):], 36, 64)
	return number, err == nil
}
