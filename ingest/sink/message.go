package sink

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
// shards that are away in JetStream. A message whose blocks take too much memory together is divided.
// If a block has a later format version, no block of the message is stored at first: the message is
// delivered again, laterTries times.
func (g *gatherer) add(ctx context.Context, m jetstream.Msg, at time.Time) {
	if tenant, ok := g.examine(ctx, m); ok {
		g.addBlocks(ctx, m, tenant, at)
	}
}

// examine opens a message. If no block of it can be added to a batch, examine settles it and returns
// false.
func (g *gatherer) examine(ctx context.Context, m jetstream.Msg) (tenant string, ok bool) {
	g.ended = false
	if ingest.IsFiller(m.Subject()) {
		g.sink.settle(m, nil)
		return "", false
	}
	tenant, err := g.open(m.Subject(), m.Data())
	if err != nil {
		g.sink.settle(m, g.sink.setAside(ctx, letter{nameOf(m), m.Subject(), m.Headers(), m.Data(), err}))
		return "", false
	}
	for _, e := range g.entries {
		if err := block.Readable(e.Data); err != nil && deliveries(m) <= laterTries {
			g.sink.log.Warn("sink: a block of a later version, left for a sink that reads it", "error", err)
			g.sink.settle(m, err)
			return "", false
		}
	}
	return tenant, true
}

// addBlocks adds the blocks of the examined message, see add.
func (g *gatherer) addBlocks(ctx context.Context, m jetstream.Msg, tenant string, at time.Time) {
	blocks := g.batch.blocks
	var kept error    // why the message has to be delivered again
	var omitted []int // indexes of the blocks that were set aside or published in messages of their own
	away := divider{sink: g.sink}
	divided := len(g.entries) > 1 && unpackedSize(g.entries) > g.sink.blockLimit()
	for n, e := range g.entries {
		if divided {
			away.publish(ctx, m, tenant, e, n)
			continue
		}
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
			omitted = append(omitted, n)
			continue
		}
		if err != nil {
			kept = errors.Join(
				kept,
				g.sink.setAside(ctx, letter{entryName(m, n), subjectOf(m, tenant, e), m.Headers(), e.Data, err}),
			)
			omitted = append(omitted, n)
			continue
		}
		g.batch.blocks++
		g.ended = g.ended || g.block.State.Ended != 0
	}
	kept = errors.Join(kept, away.wait(ctx))
	if g.batch.blocks > blocks && kept == nil {
		g.batch.take(m, omitted)
		return
	}
	g.sink.settle(m, kept)
}

// laterTries is how often a message with a block of a later version is returned, each time for
// ackWait, so that a sink of that version stores it. Then the block becomes a dead letter, which
// every version retries: a message that stays in JetStream keeps all later ones there.
const laterTries = 6

// deliveries returns how often JetStream has delivered a message.
func deliveries(m jetstream.Msg) uint64 {
	meta, err := m.Metadata()
	if err != nil {
		return 0
	}
	return meta.NumDelivered
}

// leastBlockLimit is the least bound of the memory of a decoded block, bytes.
const leastBlockLimit = 128 << 20

// blockLimit bounds the memory of a decoded block, bytes. A recorded block may take several times the
// size of its largest frame, which max_payload of NATS bounds.
func (s *Sink) blockLimit() int {
	return min(max(leastBlockLimit, 4*int(s.opts.NATS.MaxPayload())), block.MaxBody)
}

// unpackedSize returns the size of the bodies of blocks as their headers state it, bytes.
func unpackedSize(entries []block.Entry) (size int) {
	for i := range entries {
		size += block.BodySize(entries[i].Data)
	}
	return size
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
	g.decoder.Limit = g.sink.blockLimit()
	if err := g.decoder.Decode(data, &g.block); err != nil {
		return err
	}
	if err := checkSessions(&g.block); err != nil {
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

// checkSessions returns an error if a block names no session. Rows without a session stand for a whole
// tenant in some tables.
func checkSessions(b *block.Block) error {
	if b.Session == "" || slices.ContainsFunc(b.Left, func(l block.Left) bool { return l.Session == "" }) {
		return fmt.Errorf("%w: it names no session", block.ErrFormat)
	}
	return nil
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
