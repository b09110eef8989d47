package natstap

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// pullHead bounds the bytes of a message that max_payload does not bound: the subjects.
const pullHead = 64 << 10

// same checks that the JetStream stream is the one that was read before. If it was created again,
// or lost its last messages, its sequence numbers identify other messages: same ends all sources,
// and reading continues with the messages that were not recorded.
func (r *reading) same(ctx context.Context) error {
	info, err := r.stream.Info(ctx)
	if err != nil {
		return err
	}
	last, text := uint64(0), "the JetStream stream %s was deleted and created anew; messages of this subject may be missing"
	switch {
	case !info.Created.Equal(r.created):
		r.log.Warn("nats tap: the JetStream stream was created anew, it is recorded from its beginning", "stream", r.opts.Stream)
	case info.State.LastSeq < r.known.last:
		if last, err = r.before(ctx, r.lastAt, info); err != nil {
			return err
		}
		r.log.Warn("nats tap: the JetStream stream has lost its last messages and uses their numbers again: it "+
			"is recorded from the first message that is later than those recorded",
			"stream", r.opts.Stream, "recorded", r.known.last, "last", info.State.LastSeq, "from", last+1)
		text = "the JetStream stream %s lost messages at its end; messages of this subject may be missing"
	default:
		return nil
	}
	if err := r.gap(fmt.Sprintf(text, r.opts.Stream)); err != nil {
		return err
	}
	r.endAll(true)
	if err := r.failure(); err != nil {
		return err
	}
	r.mu.Lock()
	r.known = newKnown(r.known.all)
	r.known.last, r.known.floor = last, last
	r.mu.Unlock()
	r.created = info.Created
	if r.position != nil {
		r.position.state.Created = info.Created
	}
	return r.save()
}

// before returns the number of the last message that was stored at or before a time.
func (r *reading) before(ctx context.Context, at time.Time, info *jetstream.StreamInfo) (uint64, error) {
	if at.IsZero() {
		return info.State.LastSeq, nil
	}
	from := at.Add(1)
	c, err := r.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Description: "tapedeck record", AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, Replicas: 1,
		DeliverPolicy: jetstream.DeliverByStartTimePolicy, OptStartTime: &from, InactiveThreshold: time.Second,
	})
	if err != nil {
		return 0, err
	}
	return c.CachedInfo().Delivered.Stream, nil
}

// passed returns the number of the last missing message before number, 0 if none is missing. A
// consumer with a name may deliver messages later that were in flight when a connection was lost.
func (r *reading) passed(number uint64) uint64 {
	if !r.all || r.known.last == 0 || number <= r.known.last+1 {
		return 0
	}
	if r.opts.Consumer == "" {
		return number - 1
	}
	ctx, cancel := context.WithTimeout(r.recordCtx, subscribeTimeout)
	defer cancel()
	info, err := r.stream.Info(ctx)
	if err != nil || info.State.FirstSeq <= r.known.last+1 {
		return 0 // without the stream's state the numbers do not show what is missing
	}
	return min(number, info.State.FirstSeq) - 1
}

// removed notes that messages were removed before reading begins.
func (r *reading) removed() error {
	first := r.stream.CachedInfo().State.FirstSeq
	if first <= r.next || r.known.last == 0 {
		return nil
	}
	return r.missing(first - 1)
}

// missing counts and notes that the messages after the last one, up to a number, were removed
// before they were recorded.
func (r *reading) missing(to uint64) error {
	from := r.known.last + 1
	r.mu.Lock()
	r.result.Removed += to - r.known.last
	r.known.last = to
	r.mu.Unlock()
	r.next = to + 1
	r.log.Warn("nats tap: messages were removed from the JetStream stream before they were recorded", "stream", r.opts.Stream, "from", from, "to", to)
	return r.gap(fmt.Sprintf("the messages %d to %d of JetStream stream %s were removed before they were recorded; messages of this subject may be among them",
		from, to, r.opts.Stream))
}
