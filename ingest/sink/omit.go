package sink

import (
	"context"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	stream "tapedeck/ingest/delivery/jetstream"
	"tapedeck/schema/block"
)

// omitAway removes the blocks of the shards that are away from a batch, and has them delivered again.
// It reports whether it removed any.
func (i *inserter) omitAway(ctx context.Context, b *batch) bool {
	messages, blocks := slices.Clone(b.messages), b.blocks
	b.reset()
	g := gatherer{sink: i.sink, shards: i.sink.shards, batch: b}
	for _, m := range messages {
		g.add(ctx, m, time.Now())
	}
	return b.blocks < blocks
}

// divider publishes blocks of a bundle that cannot be stored yet, each in a message of its own, so that
// the other blocks of the bundle are not delivered again.
type divider struct {
	sink     *Sink
	accepted []jetstream.PubAckFuture
	err      error
}

// publish publishes the block with index n of a message.
func (p *divider) publish(ctx context.Context, m jetstream.Msg, tenant string, e block.Entry, n int) {
	subject, err := p.subject(ctx, m, tenant, e)
	if err != nil {
		p.err = err
		return
	}
	msg := &nats.Msg{Subject: subject, Data: slices.Clone(e.Data), Header: nats.Header{}}
	if m.Headers().Get(stream.HeaderBulk) != "" {
		msg.Header.Set(stream.HeaderBulk, "1")
	}
	// The id differs from those of recorders, by which a block is deleted with its stream.
	accepted, err := p.sink.js.PublishMsgAsync(msg, jetstream.WithMsgID(entryName(m, n)))
	if err != nil {
		p.err = err
		return
	}
	p.accepted = append(p.accepted, accepted)
}

// subject returns the subject of a block, in its partition.
func (p *divider) subject(ctx context.Context, m jetstream.Msg, tenant string, e block.Entry) (string, error) {
	partitions, err := p.sink.layout.Partitions(ctx)
	if err != nil {
		return "", err
	}
	return ingest.Repartition(subjectOf(m, tenant, e), partitions)
}

// wait returns an error unless JetStream stores all of the blocks within answerTimeout.
func (p *divider) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	for _, f := range p.accepted {
		select {
		case <-f.Ok():
		case err := <-f.Err():
			p.err = err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return p.err
}

// The delay of a message whose shard is away doubles with each delivery.
const awayDelayMost = time.Minute

// deliverLater has a message whose shard is away delivered again.
func deliverLater(m jetstream.Msg) {
	delay := ackWait / 2
	if meta, err := m.Metadata(); err == nil {
		delay <<= min(meta.NumDelivered, 10)
	}
	_ = m.NakWithDelay(min(delay, awayDelayMost)) // if this is lost, JetStream redelivers the message anyway
}
