package sink

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/deadletters"
	stream "tapedeck/ingest/delivery/jetstream"
	"tapedeck/schema/block"
)

// add decodes a message's blocks into the batch, and settles the message if none of it is to be
// stored. It sets aside undecodable blocks, skips blocks of deleted sessions, and leaves blocks of
// shards that are away in JetStream. If a block has a
// later format version, no block of the message is stored: the message is delivered again.
func (g *gatherer) add(ctx context.Context, m jetstream.Msg, at time.Time) {
	g.ended = false
	if ingest.IsFiller(m.Subject()) {
		g.sink.settle(m, nil)
		return
	}
	tenant, err := g.open(m.Subject(), m.Data())
	if err != nil {
		g.sink.settle(m, g.sink.setAside(ctx, letter{nameOf(m), m.Subject(), m.Headers(), m.Data(), err}))
		return
	}
	for _, e := range g.entries {
		if err := block.Readable(e.Data); err != nil {
			// A sink of a later version can store the message.
			g.sink.log.Warn("sink: a block of a later version, left for a sink that reads it", "error", err)
			g.sink.settle(m, err)
			return
		}
	}
	blocks := g.batch.blocks
	var kept error // why the message has to be delivered again
	away := divider{sink: g.sink}
	for n, e := range g.entries {
		err := g.decode(ctx, tenant, e.Data, at)
		if errors.Is(err, errDeleted) {
			continue
		}
		if errors.Is(err, errAway) {
			if len(g.entries) == 1 {
				deliverLater(m)
				return
			}
			away.publish(ctx, m, tenant, e, n)
			continue
		}
		if err != nil {
			kept = errors.Join(
				kept,
				g.sink.setAside(ctx, letter{entryName(m, n), subjectOf(m, tenant, e), m.Headers(), e.Data, err}),
			)
			continue
		}
		g.batch.blocks++
		g.ended = g.ended || g.block.State.Ended != 0
	}
	kept = errors.Join(kept, away.wait(ctx))
	if g.batch.blocks > blocks && kept == nil {
		g.batch.take(m)
		return
	}
	g.sink.settle(m, kept)
}

// open reads the tenant and the entries of a message without decoding the blocks.
func (g *gatherer) open(subject string, data []byte) (tenant string, err error) {
	// The component that checked the token has set the tenant in the subject.
	if tenant, err = ingest.SubjectTenant(subject); err == nil {
		g.entries, err = block.Entries(data, g.entries)
	}
	return tenant, err
}

// decode adds a block that arrived at the given time to the batch. The error is errDeleted if the
// whole block belongs to deleted sessions, and errAway if its shard is away.
func (g *gatherer) decode(ctx context.Context, tenant string, data []byte, at time.Time) error {
	if err := g.decoder.Decode(data, &g.block); err != nil {
		return err
	}
	if !g.sink.undeleted(ctx, tenant, &g.block, at) {
		return errDeleted
	}
	if err := g.shards.check(tenant, &g.block); err != nil {
		return err
	}
	return g.batch.add(tenant, &g.block)
}

// subjectOf returns the subject on which a block of a message would be published if it were sent
// alone.
func subjectOf(m jetstream.Msg, tenant string, e block.Entry) string {
	if e.Session == "" {
		return m.Subject()
	}
	return ingest.Subject(tenant, e.Session)
}

// settle acknowledges a message or, if kept is an error, has it delivered again later.
func (s *Sink) settle(m jetstream.Msg, kept error) {
	if kept == nil {
		_ = m.Ack() // if the acknowledgement is lost, the message is delivered again, which is harmless
		return
	}
	_ = m.NakWithDelay(ackWait) // if this is lost, JetStream redelivers the message anyway
}

// letter is a block that cannot be stored.
type letter struct {
	name    string      // id for deduplication if the block is set aside again
	subject string      // subject on which a retry publishes the block
	was     nats.Header // header of the message that contained the block
	data    []byte
	reason  error
}

// setAside publishes a block that cannot be stored to the dead-letter stream, with the reason, so
// that it does not delay other blocks. If setAside fails, the block has to be delivered again. The
// letter has the subject without partitions, which every version reads.
func (s *Sink) setAside(ctx context.Context, l letter) error {
	if subject, err := ingest.Repartition(l.subject, 1); err == nil { // otherwise it is not that of a block
		l.subject = subject
	}
	dead := &nats.Msg{
		Subject: stream.DeadSubject, Data: l.data,
		Header: deadletters.Header(l.was, l.subject, s.opts.Version, l.reason),
	}
	if _, err := s.js.PublishMsg(ctx, dead, jetstream.WithMsgID(l.name)); err != nil {
		s.log.Error(
			"sink: a block can neither be stored nor set aside", "subject", l.subject, "reason", l.reason, "error", err,
		)
		return err
	}
	deadBlocks.Inc()
	s.log.Error("sink: set aside a block that cannot be stored", "subject", l.subject, "reason", l.reason)
	return nil
}
