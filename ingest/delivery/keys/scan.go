package keys

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// fewMessages is the number of messages up to which messages are read one by one; more messages are
// read through a consumer.
const fewMessages = 64

// walk visits the messages of a log with sequences from from up to until, or up to the end of the
// log if until is 0.
func walk(ctx context.Context, js jetstream.JetStream, stream jetstream.Stream, subject string, from, until uint64,
	visit func(*jetstream.RawStreamMsg) error,
) error {
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(subject))
	if err != nil {
		return fmt.Errorf("read JetStream stream %s: %w", StreamName, err)
	}
	if info.State.Subjects[subject] > fewMessages {
		if from, err = walkMany(ctx, js, subject, from, until, visit); err != nil {
			return err
		}
	}
	for until == 0 || from <= until {
		m, err := stream.GetMsg(ctx, from, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read JetStream stream %s: %w", StreamName, err)
		}
		if until != 0 && m.Sequence > until {
			return nil
		}
		if err := visit(m); err != nil {
			return err
		}
		from = m.Sequence + 1
	}
	return nil
}

// walkMany visits the present messages of the log through a consumer, and returns the
// sequence to continue from.
func walkMany(ctx context.Context, js jetstream.JetStream, subject string, from, until uint64,
	visit func(*jetstream.RawStreamMsg) error,
) (uint64, error) {
	consumer, err := js.OrderedConsumer(ctx, StreamName, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{subject}, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: max(from, 1),
	})
	if err != nil {
		return from, fmt.Errorf("read JetStream stream %s: %w", StreamName, err)
	}
	if consumer.CachedInfo().NumPending == 0 {
		return from, nil
	}
	messages, err := consumer.Messages()
	if err != nil {
		return from, fmt.Errorf("read JetStream stream %s: %w", StreamName, err)
	}
	defer messages.Stop()
	for {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return from, fmt.Errorf("read JetStream stream %s: %w", StreamName, err)
		}
		meta, err := m.Metadata()
		if err != nil {
			return from, err
		}
		if until != 0 && meta.Sequence.Stream > until {
			return from, nil
		}
		raw := &jetstream.RawStreamMsg{Subject: subject, Sequence: meta.Sequence.Stream, Header: m.Headers(),
			Data: m.Data(), Time: meta.Timestamp}
		if err := visit(raw); err != nil {
			return from, err
		}
		from = meta.Sequence.Stream + 1
		if meta.NumPending == 0 {
			return from, nil
		}
	}
}

// prefix puts the frames of a log's blocks in order. It holds back frames after a gap until the gap
// is filled; if it is never filled, a later attempt records these frames again.
type prefix struct {
	next    uint64 // all frames below were emitted
	waiting map[uint64]logged
	masked  map[uint64]Sent // masked frames that were not emitted, by their seq
}

// logged is a frame of a log.
type logged struct {
	schema.Frame
	session string
	sent    Sent
}

// add adds a message of the log that has a block, and emits the frames that are next in order.
func (p *prefix) add(m *jetstream.RawStreamMsg, b *block.Block, emit func(*logged) error) error {
	masked, err := maskedOf(m.Header)
	if err != nil {
		return err
	}
	if p.masked == nil && len(masked) > 0 {
		p.masked = map[uint64]Sent{}
	}
	for _, f := range masked {
		p.masked[f.seq] = f.Sent
	}
	return p.block(b, emit)
}

// block emits the frames of a block that are next in order, and the held frames that follow them.
func (p *prefix) block(b *block.Block, emit func(*logged) error) error {
	for i := range b.Frames {
		f := logged{Frame: b.Frames[i], session: b.Session, sent: Sent{Length: len(b.Frames[i].Raw)}}
		if f.Seq > p.next {
			if p.waiting == nil {
				p.waiting = map[uint64]logged{}
			}
			p.waiting[f.Seq] = f
		}
		if f.Seq != p.next {
			continue
		}
		if err := p.emit(f, emit); err != nil {
			return err
		}
	}
	return nil
}

func (p *prefix) emit(f logged, emit func(*logged) error) error {
	for ok := true; ok; f, ok = p.waiting[p.next] {
		delete(p.waiting, f.Seq)
		if sent, masked := p.masked[f.Seq]; masked {
			f.sent = sent
			delete(p.masked, f.Seq)
		}
		p.next++
		if err := emit(&f); err != nil {
			return err
		}
	}
	return nil
}

// claimed drops the held frames, because the attempt that began records them again.
func (p *prefix) claimed() {
	clear(p.waiting)
	clear(p.masked)
}
