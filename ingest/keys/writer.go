package keys

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tapedeck/ingest"
)

// queued is a block that waits to be written to the log.
type queued struct {
	parcel ingest.EncodedBlock
	done   func(error)
}

// queueBytes bounds the blocks that wait to be written to one log.
const queueBytes = 1 << 20

// Publish implements ingest.Publisher: it writes a block to the log, then publishes it
// for the sink. The block is durable when both have it.
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
	c.queue = append(c.queue, queued{p, done})
	c.queued += len(p.Data)
	if !c.writing {
		c.writing = true
		go c.write()
	}
	return nil
}

// write writes the queue to the log, block by block, since each names the message
// before it.
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
		q, last, handed, size := c.queue[0], c.last, c.handed.done, c.size
		c.queue = c.queue[1:]
		c.mu.Unlock()
		seq, err := c.writeOne(&q, last, handed, size)
		if err != nil {
			c.fail(err)
			q.done(err)
			continue
		}
		c.mu.Lock()
		c.last, c.size = seq, size+int64(len(q.parcel.Data))
		c.queued -= len(q.parcel.Data)
		c.handed.begin(seq)
		c.wakeRoom()
		c.mu.Unlock()
		c.handOn(&q, seq)
	}
}

func (c *Claim) writeOne(q *queued, last, handed uint64, size int64) (uint64, error) {
	if size+int64(len(q.parcel.Data)) > c.store.opts.MaxLog {
		return 0, fmt.Errorf("%w: its unfinished stream takes more than %d bytes", ErrTooLong, c.store.opts.MaxLog)
	}
	seq, err := c.store.append(context.Background(), blockMessage(c.subject, handed, &q.parcel), last)
	if errors.Is(err, errConflict) {
		err = ErrSuperseded
	}
	return seq, err
}

// handOn publishes a block for the sink that the log has.
func (c *Claim) handOn(q *queued, seq uint64) {
	ctx, cancel := context.WithTimeout(context.Background(), handTimeout)
	defer cancel()
	err := c.store.opts.Next.Publish(ctx, q.parcel, func(err error) {
		if err == nil {
			c.mu.Lock()
			c.handed.end(seq)
			c.mu.Unlock()
		}
		q.done(err)
	})
	if err != nil {
		c.fail(err)
		q.done(err)
	}
}

// handTimeout bounds how long the publisher may take to accept a block.
const handTimeout = 3 * askTimeout

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

// watermark tracks up to which sequence the blocks of a log were published for the sink.
type watermark struct {
	done  uint64   // all up to this sequence were
	last  uint64   // the last one begun
	onWay []uint64 // in flight, ascending
}

func (w *watermark) begin(seq uint64) { w.onWay, w.last = append(w.onWay, seq), seq }

func (w *watermark) end(seq uint64) {
	if i, ok := slices.BinarySearch(w.onWay, seq); ok {
		w.onWay = slices.Delete(w.onWay, i, i+1)
	}
	w.done = w.last
	if len(w.onWay) > 0 {
		w.done = w.onWay[0] - 1
	}
}
