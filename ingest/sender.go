package ingest

import (
	"context"
	"fmt"
)

// sender sends a stream's blocks to the publisher, in order, and tracks which frames are durable.
// Blocks that the publisher does not accept at once wait in a queue.
type sender struct {
	publisher Publisher
	stream    string // its id

	queue []queuedBlock
	acks  ackTracker
	err   error // the error of the first block that could not be delivered; permanent
}

type queuedBlock struct {
	block EncodedBlock
	sentBlock
}

// send queues a block. waiting is the lowest frame that is not in a block yet.
func (s *sender) send(b EncodedBlock, waiting uint64) {
	s.queue = append(s.queue, queuedBlock{b, s.acks.sent(waiting)})
}

// failure returns the error that ended the stream.
func (s *sender) failure() error {
	if s.err == nil {
		s.err = s.acks.failure()
	}
	return s.err
}

// drain publishes all queued blocks. It returns ctx's error if ctx ends before the publisher has
// accepted all of them; any other error ends the stream.
func (s *sender) drain(ctx context.Context) error {
	for len(s.queue) > 0 {
		q := s.queue[0]
		err := s.publisher.Publish(ctx, q.block, q.settle)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return fmt.Errorf("recording is held up: %w", err)
		case s.acks.skips(err):
			q.settle(err)
		default:
			s.err = fmt.Errorf("record stream %s: %w", s.stream, err)
			q.settle(s.err)
			return s.err
		}
		s.queue[0] = queuedBlock{}
		s.queue = s.queue[1:]
	}
	s.queue = nil
	return nil
}
