package bench

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	njs "github.com/nats-io/nats.go/jetstream"
	"github.com/valyala/fastjson"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/schema/block"
)

// follower is a live reader: an ordered consumer of a session's blocks.
type follower struct {
	source *pacedSource
	seen   []time.Time // when each frame was read; written only by the consumer until full is closed
	got    atomic.Int64
	first  chan struct{} // closed once the first frame was read
	full   chan struct{} // closed once all frames were read
	failed chan error
	handle njs.ConsumeContext
}

// follow follows a paced session that has not begun.
func follow(ctx context.Context, c *cluster, s *pacedSource) (*follower, error) {
	js, err := njs.New(c.nc)
	if err != nil {
		return nil, err
	}
	consumer, err := js.OrderedConsumer(ctx, jetstream.StreamName, njs.OrderedConsumerConfig{
		FilterSubjects: ingest.Partition{}.Filters(ingest.DefaultTenant, s.session),
	})
	if err != nil {
		return nil, fmt.Errorf("follow session %s: %w", s.session, err)
	}
	f := &follower{
		source: s, seen: make([]time.Time, s.frames()),
		first: make(chan struct{}), full: make(chan struct{}), failed: make(chan error, 1),
	}
	f.handle, err = consumer.Consume(f.take)
	return f, err
}

// take processes a message with a block of the session.
func (f *follower) take(m njs.Msg) {
	entries, err := block.Entries(m.Data(), nil)
	if err != nil {
		f.fail(err)
		return
	}
	for _, e := range entries {
		if e.Session == "" || e.Session == f.source.session {
			f.takeBlock(e.Data)
		}
	}
}

// takeBlock records when each frame of a block was read.
func (f *follower) takeBlock(data []byte) {
	b, err := block.Decode(data)
	if err != nil {
		f.fail(err)
		return
	}
	for i := range b.Frames {
		seq := int(b.Frames[i].Seq)
		due := fastjson.GetInt(b.Frames[i].Raw, "due")
		if seq >= len(f.seen) || !f.seen[seq].IsZero() || time.Duration(due) != f.source.due(seq) {
			f.fail(fmt.Errorf("frame %d reached the live reader twice or changed", seq))
			return
		}
		f.seen[seq] = time.Now()
		if seq == 0 {
			close(f.first)
		}
		if f.got.Add(1) == int64(len(f.seen)) {
			close(f.full)
		}
	}
}

// fail records the first failure.
func (f *follower) fail(err error) {
	select {
	case f.failed <- err:
	default:
	}
}

// wait waits until there is closed: for the first frame or for all frames.
func (f *follower) wait(ctx context.Context, there <-chan struct{}) error {
	select {
	case <-there:
		return nil
	case err := <-f.failed:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%d of %d frames reached the live reader: %w", f.got.Load(), len(f.seen), context.Cause(ctx))
	}
}

func (f *follower) stop() {
	f.handle.Stop()
	<-f.handle.Closed()
}
