package ingest

import (
	"context"
	"fmt"
)

// delivery sends a stream's blocks to the publisher, in order, and follows which frames are
// durable. Blocks that the publisher does not take at once wait in a queue.
type delivery struct {
	publisher Publisher
	stream    string // its id
	// skipDeleted has the stream go on when a block was refused because its session was
	// deleted: other frames may name other sessions.
	skipDeleted bool

	queue []queuedBlock
	acks  ackTracker
	err   error // the first block that could not be delivered; it stands
}

type queuedBlock struct {
	block EncodedBlock
	done  func(error)
}

// send queues a block. waiting is the lowest frame that is in no block so far.
func (d *delivery) send(b EncodedBlock, waiting uint64) {
	number := d.acks.sent(waiting)
	d.queue = append(d.queue, queuedBlock{b, func(err error) {
		if d.skips(err) {
			err = nil
		}
		d.acks.settle(number, err)
	}})
}

func (d *delivery) skips(err error) bool { return d.skipDeleted && IsDeleted(err) }

// failure returns the error that ended the stream.
func (d *delivery) failure() error {
	if d.err == nil {
		d.err = d.acks.failure()
	}
	return d.err
}

// drain publishes all queued blocks. It fails with ctx's error if ctx ends before the
// publisher took them all; any other error ends the stream.
func (d *delivery) drain(ctx context.Context) error {
	for len(d.queue) > 0 {
		q := d.queue[0]
		err := d.publisher.Publish(ctx, q.block, q.done)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return fmt.Errorf("recording is held up: %w", err)
		case d.skips(err):
			q.done(nil)
		default:
			d.err = fmt.Errorf("record stream %s: %w", d.stream, err)
			q.done(d.err)
			return d.err
		}
		d.queue[0] = queuedBlock{}
		d.queue = d.queue[1:]
	}
	d.queue = nil
	return nil
}
