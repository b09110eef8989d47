package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// pull reads a session's blocks from JetStream in order, with its own consumer. It is used by one
// goroutine.
type pull struct {
	library  *Library
	session  *session
	next     uint64 // the lowest number that may arrive
	consumer jetstream.Consumer
	stream   string   // of the consumer
	subjects []string // of the session's blocks in it
	taken    uint64   // messages that the consumer has delivered
	ask      int      // number of blocks to request next; fewer if blocks are large
}

// pullBytes is the approximate number of bytes per fetch, unless one block is larger.
const pullBytes = 1 << 20

// open creates a consumer that begins at next, if there is none.
func (p *pull) open(ctx context.Context) error {
	if p.consumer != nil {
		return nil
	}
	stream, subjects, err := p.library.locate(ctx, p.session)
	if err != nil {
		return err
	}
	config := jetstream.ConsumerConfig{
		FilterSubjects: subjects, DeliverPolicy: jetstream.DeliverByStartSequencePolicy,
		OptStartSeq: max(p.next, 1),
		AckPolicy:   jetstream.AckNonePolicy, MaxDeliver: 1, MemoryStorage: true, Replicas: 1,
		InactiveThreshold: time.Minute,
	}
	c, err := ask(ctx, func(ctx context.Context) (jetstream.Consumer, error) {
		return p.library.js.CreateConsumer(ctx, stream, config)
	})
	if err != nil {
		return fmt.Errorf("consumer of %s: %w", p.session, err)
	}
	p.consumer, p.taken, p.stream, p.subjects = c, 0, stream, subjects
	return nil
}

// lossCheck is the time without a message after which await compares the number of received
// messages with the number that the server delivered. lossChecks is the interval of further
// comparisons.
const (
	lossCheck  = time.Second
	lossChecks = 10 * time.Second
)

// await returns the next message, and waits for it without a limit. The error is errLost if the
// server delivered messages that did not arrive. The client library drops messages when its buffer
// is full, and messages that were in flight when a connection broke are lost. take detects a loss
// by the next message; await also detects it if no message follows.
func (p *pull) await(ctx context.Context, messages jetstream.MessagesContext) (jetstream.Msg, error) {
	delivered := uint64(0)
	for wait := lossCheck; ; {
		limited, cancel := context.WithTimeout(ctx, wait)
		m, err := messages.Next(jetstream.NextContext(limited))
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return m, err
		}
		if delivered > p.taken { // lossCheck has passed since the server reported the number
			return nil, fmt.Errorf("%d messages of %s: %w", delivered-p.taken, p.session, errLost)
		}
		info, err := ask(ctx, p.consumer.Info)
		if err != nil {
			return nil, fmt.Errorf("consumer of %s: %w", p.session, err)
		}
		if stream, subjects, err := p.library.locate(ctx, p.session); err == nil && (stream != p.stream || subjects[0] != p.subjects[0]) {
			return nil, fmt.Errorf("%s: %w", p.session, errMoved)
		}
		if delivered = info.Delivered.Consumer; delivered == p.taken {
			wait = lossChecks
		} else {
			wait = lossCheck
		}
	}
}

// errMoved is the error if the session's blocks are in another stream or have another subject, since
// the number of partitions has changed.
var errMoved = errors.New("the blocks are in another partition now")

var errLost = errors.New("delivered by NATS, but lost in transit")

// take decodes a message. It returns nil for a message that has no block of the session or is
// invalid. The sink stores invalid blocks as dead letters.
func (p *pull) take(m jetstream.Msg) (*piece, error) {
	meta, err := m.Metadata()
	if err != nil {
		return nil, fmt.Errorf("message of %s: %w", p.session, err)
	}
	if p.taken++; meta.Sequence.Consumer != p.taken {
		return nil, fmt.Errorf("%d messages of %s: %w", meta.Sequence.Consumer-p.taken, p.session, errLost)
	}
	p.next = meta.Sequence.Stream + 1
	b, err := pieceOf(m, p.session, m.Subject() == p.subjects[0], meta.Sequence.Stream, meta.Timestamp)
	if err != nil {
		p.library.opts.Log.Warn("live: skipped an unreadable block", "session", p.session, "error", err)
		return nil, nil
	}
	if b != nil && p.library.deleted(context.Background(), p.session, b.state.StreamID) {
		return nil, nil
	}
	return b, nil
}

// some returns the next blocks without waiting for new ones. It returns none and no error if there
// are none.
func (p *pull) some(ctx context.Context) ([]*piece, error) {
	if err := p.open(ctx); err != nil {
		return nil, err
	}
	batch, err := p.consumer.FetchNoWait(max(p.ask, 1))
	if err != nil {
		return nil, fmt.Errorf("fetch blocks of %s: %w", p.session, err)
	}
	var pieces []*piece
	count, size := 0, 0
	for m := range batch.Messages() {
		count++
		size += len(m.Data())
		b, failed := p.take(m)
		if failed != nil && err == nil {
			err = failed
		}
		if b != nil && err == nil {
			pieces = append(pieces, b)
		}
	}
	if err == nil {
		err = batch.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("fetch blocks of %s: %w", p.session, err)
	}
	if count > 0 {
		p.ask = max(min(4*count, pullBytes/(size/count+1), pullBlocks), 1)
	}
	return pieces, nil
}

// pullBlocks is the number of blocks per fetch.
const pullBlocks = 32

// close removes the consumer.
func (p *pull) close() {
	if p.consumer == nil {
		return
	}
	name := p.consumer.CachedInfo().Name
	p.consumer = nil
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	// If this fails, JetStream removes the consumer after its inactivity limit.
	_ = p.library.js.DeleteConsumer(ctx, p.stream, name)
}
