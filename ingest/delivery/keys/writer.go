package keys

import (
	"context"
	"errors"
	"fmt"

	"tapedeck/ingest"
)

// queued is a block that waits to be written to the log.
type queued struct {
	block  ingest.EncodedBlock
	done   func(error)
	masked []maskedFrame // frames of this block or of later ones
}

// queueBytes bounds the blocks that wait to be written to one log.
const queueBytes = 1 << 20

// Publish implements ingest.Publisher. It writes a block to the log, then publishes it for the
// sink. The block is durable when both have confirmed it.
func (c *Claim) Publish(ctx context.Context, p ingest.EncodedBlock, done func(error)) error {
	for {
		c.mu.Lock()
		if c.err != nil {
			defer c.mu.Unlock()
			return c.err
		}
		if c.queued == 0 || c.queued+len(p.Data) <= queueBytes {
			break
		}
		if c.room == nil {
			c.room = make(chan struct{})
		}
		room := c.room
		c.mu.Unlock()
		select {
		case <-room:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	defer c.mu.Unlock()
	c.queue = append(c.queue, queued{p, done, c.originals.take()})
	c.queued += len(p.Data)
	if !c.writing {
		c.writing = true
		go c.write()
	}
	return nil
}

// write writes the queue to the log, one block after another, since each message names the previous
// one.
func (c *Claim) write() {
	for {
		c.mu.Lock()
		if len(c.queue) == 0 || c.err != nil {
			rest, err := c.queue, c.err
			c.queue, c.queued, c.writing = nil, 0, false
			c.wakeRoom()
			c.mu.Unlock()
			for _, q := range rest {
				q.done(err)
			}
			return
		}
		q, last, handed, size := c.queue[0], c.last, c.forwardedUpTo(), c.size
		c.queue = c.queue[1:]
		c.mu.Unlock()
		seq, err := c.writeOne(&q, last, handed, size)
		if err != nil {
			c.fail(err)
			q.done(err)
			continue
		}
		c.mu.Lock()
		c.last, c.size = seq, size+int64(len(q.block.Data))
		c.queued -= len(q.block.Data)
		number := c.forwarded.Add(seq)
		c.wakeRoom()
		c.mu.Unlock()
		c.forward(&q, number)
	}
}

func (c *Claim) writeOne(q *queued, last, handed uint64, size int64) (uint64, error) {
	if size+int64(len(q.block.Data)) > c.store.opts.MaxLog {
		return 0, fmt.Errorf("%w: its unfinished stream takes more than %d bytes", ErrTooLong, c.store.opts.MaxLog)
	}
	seq, err := c.store.append(context.Background(), blockMessage(c.subject, handed, q), last)
	if errors.Is(err, errConflict) {
		err = ErrSuperseded
	}
	return seq, err
}

// forwardedUpTo returns the sequence up to which the publisher has accepted all blocks of
// the log for the sink. c.mu is held.
func (c *Claim) forwardedUpTo() uint64 {
	if seq, ok := c.forwarded.Watermark(); ok {
		return seq
	}
	return c.claimed
}

// forward publishes a block of the log for the sink. number is its number in c.forwarded.
func (c *Claim) forward(q *queued, number uint64) {
	ctx, cancel := context.WithTimeout(context.Background(), forwardTimeout)
	defer cancel()
	err := c.store.opts.Next.Publish(ctx, q.block, func(err error) {
		if err == nil {
			c.mu.Lock()
			c.forwarded.Settle(number)
			c.mu.Unlock()
		}
		q.done(err)
	})
	if err != nil {
		c.fail(err)
		q.done(err)
	}
}

// forwardTimeout bounds how long the publisher may take to accept a block.
const forwardTimeout = 3 * askTimeout

// fail stops all further writes with an error.
func (c *Claim) fail(err error) {
	c.mu.Lock()
	if c.err == nil {
		c.err = err
	}
	c.wakeRoom()
	c.mu.Unlock()
	if errors.Is(err, ErrSuperseded) {
		c.once.Do(func() {
			requests.WithLabelValues("superseded").Inc()
			close(c.superseded)
		})
	}
}

// wakeRoom wakes the callers that wait for room in the queue. c.mu is held.
func (c *Claim) wakeRoom() {
	if c.room != nil {
		close(c.room)
		c.room = nil
	}
}
