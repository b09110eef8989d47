package natstap

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
)

// resume records again the messages that the previous process had assigned and that may not be
// durable, as the same frames of the same streams. It writes the first state of this process.
func (r *reading) resume(ctx context.Context) error {
	if r.position == nil {
		return nil
	}
	old := r.position.state
	r.known.last, r.known.floor = max(r.known.last, old.Last), old.Floor
	for _, of := range old.Done {
		for n := of[0]; n <= of[1] && !r.known.all; n++ {
			r.known.done[n] = struct{}{}
		}
	}
	for i := range old.Sources {
		of := &old.Sources[i]
		err := r.again(ctx, of)
		if err != nil {
			return fmt.Errorf("resume the recording of subject %s of stream %s: %w", of.Key.Subject, r.opts.Stream, err)
		}
	}
	return r.save()
}

// again resumes a source.
func (r *reading) again(ctx context.Context, of *sourceState) error {
	resume := &ingest.Resume{StreamID: of.StreamID, NextSeq: of.Durable, Settled: of.Settled, Attempt: of.Attempt + 1}
	if of.Intact && !of.Key.Masked && r.stream.CachedInfo().Config.Retention == jetstream.LimitsPolicy {
		whole, err := r.whole(ctx, of)
		if err != nil {
			return err
		}
		resume.Again = whole
	}
	var ahead map[uint64]*message
	if !resume.Again {
		var err error
		if ahead, err = r.acknowledged(ctx, of); err != nil {
			return err
		}
		resume.NextSeq = of.Durable
	}
	if !resume.Again && of.Durable > 0 {
		r.log.Warn("nats tap: the first messages of a subject are not in the JetStream stream any more; the facts of a run that was open start anew",
			"subject", of.Key.Subject, "stream", of.StreamID)
	}
	// The previous process was ending this source when it opened another one.
	if before := r.sources[of.Key]; before != nil {
		r.end(before, true)
	}
	s, err := r.tap.open(of.Key, resume)
	if err != nil {
		return err
	}
	r.mu.Lock()
	s.number = of.Number
	s.first, s.last, s.count, s.intact = of.First, of.Last, of.Count, of.Intact
	for _, p := range of.Pending {
		s.assigned += p.Frames
		s.pending = append(s.pending, pending{number: p.Number, frames: p.Frames, end: s.assigned, note: p.Note})
		if p.Number > 0 {
			r.known.add(p.Number)
		}
	}
	r.mu.Unlock()
	if resume.Again {
		err = r.history(ctx, of, false, func(m *message) error { return r.failed(s, s.record(m)) })
	} else {
		err = r.unfinished(ctx, of, s, ahead)
	}
	if err == nil && s.element != nil && resume.NextSeq > 0 {
		err = r.failed(s, s.stream.Reopen(r.recordCtx))
	}
	return err
}

// acknowledged reads the pending messages of a source, if the JetStream stream removes acknowledged
// messages. Messages of a source are acknowledged in order, so a missing message and all messages
// before it were acknowledged and count as durable. acknowledged reads the last message first,
// because the server may still be removing messages. For a stream that keeps acknowledged messages
// it reads nothing.
func (r *reading) acknowledged(ctx context.Context, of *sourceState) (ahead map[uint64]*message, err error) {
	if r.stream.CachedInfo().Config.Retention == jetstream.LimitsPolicy {
		return nil, nil
	}
	ahead = map[uint64]*message{}
	for i := len(of.Pending) - 1; i >= 0; i-- {
		number := of.Pending[i].Number
		if number == 0 {
			continue
		}
		ahead[number], err = r.get(ctx, number)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			r.mu.Lock()
			for _, p := range of.Pending[:i+1] {
				of.Durable += p.Frames
				r.known.settle(p.Number) // its acknowledgement may have been lost
			}
			r.mu.Unlock()
			of.Pending = of.Pending[i+1:]
			return ahead, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return ahead, nil
}

// get reads one message of the stream.
func (r *reading) get(ctx context.Context, number uint64) (*message, error) {
	raw, err := r.stream.GetMsg(ctx, number)
	if err != nil {
		return nil, err
	}
	return &message{subject: raw.Subject, header: nats.Header(raw.Header), data: raw.Data, at: raw.Time.UnixNano(),
		number: raw.Sequence}, nil
}

// unfinished records the messages of a source that are not durable.
func (r *reading) unfinished(ctx context.Context, of *sourceState, s *source, ahead map[uint64]*message) error {
	for _, p := range of.Pending {
		if p.Note != "" {
			if err := r.failed(s, s.note(p.Note, ingest.Now())); err != nil {
				return err
			}
			continue
		}
		m, err := ahead[p.Number], error(nil)
		if m == nil {
			m, err = r.get(ctx, p.Number)
		}
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			// A note in place of the message keeps the numbers of the later frames.
			for range p.Frames {
				text := fmt.Sprintf("message %d of JetStream stream %s was removed before it was recorded", p.Number,
					r.opts.Stream)
				if err := r.failed(s, s.note(text, ingest.Now())); err != nil {
					return err
				}
			}
			continue
		}
		if err != nil {
			return err
		}
		if err := r.failed(s, s.record(m)); err != nil {
			return err
		}
	}
	return nil
}

// whole reports whether the JetStream stream still has all messages of a source.
func (r *reading) whole(ctx context.Context, of *sourceState) (bool, error) {
	var count, first uint64
	err := r.history(ctx, of, true, func(m *message) error {
		if count++; count == 1 {
			first = m.number
		}
		return nil
	})
	return count == of.Count && first == of.First, err
}

// history reads the messages of a source in order, from the first to the last. If heads is set, it
// reads only their headers.
func (r *reading) history(ctx context.Context, of *sourceState, heads bool, use func(*message) error) error {
	cfg := r.reader(of.First)
	cfg.FilterSubject, cfg.HeadersOnly = of.Key.Subject, heads
	c, err := r.stream.CreateConsumer(ctx, cfg)
	if err != nil {
		return err
	}
	// Otherwise the server removes it later.
	defer func() { _ = r.stream.DeleteConsumer(context.WithoutCancel(ctx), c.CachedInfo().Name) }()
	left := c.CachedInfo().NumPending
	order := uint64(0)
	for left > 0 {
		batch, err := c.Fetch(int(min(left, batchMessages)))
		if err != nil {
			return err
		}
		before := left
		for m := range batch.Messages() {
			meta, err := m.Metadata()
			if err != nil {
				return err
			}
			if order++; meta.Sequence.Consumer != order {
				return errors.New("a message in flight was lost: start the recording again")
			}
			left--
			if meta.Sequence.Stream > of.Last {
				return nil
			}
			msg := r.convert(m, meta)
			if (key{Subject: msg.subject, Session: r.session(msg)}) != of.Key {
				continue
			}
			if err := use(msg); err != nil {
				return err
			}
		}
		if err := batch.Error(); err != nil {
			return err
		}
		if left == before {
			return nil // the remaining messages were removed meanwhile
		}
	}
	return nil
}
