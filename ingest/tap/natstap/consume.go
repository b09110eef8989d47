package natstap

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// errAgain reports that another consumer must be created at once.
var errAgain = errors.New("the consumer has to be made again")

// consume reads a consumer. ended reports that the recording ends, because ctx has ended or
// recording failed. Otherwise the error says why the consumer cannot be read.
func (r *reading) consume(ctx context.Context, c jetstream.Consumer) (ended bool, err error) {
	select {
	case <-r.connected: // this consumer was created after the reconnect
	default:
	}
	it, err := c.Messages(jetstream.PullMaxMessagesWithBytesLimit(pullMessages, r.pullBytes))
	if err != nil {
		return false, err
	}
	defer it.Stop()
	arrived := make(chan jetstream.Msg, batchMessages)
	failed := make(chan error, 1)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			m, err := it.Next()
			if err != nil {
				failed <- err
				return
			}
			select {
			case arrived <- m:
			case <-stop:
				return
			}
		}
	}()
	batch := make([]jetstream.Msg, 0, batchMessages)
	for {
		select {
		case m := <-arrived:
			batch = append(batch[:0], m)
		more:
			for len(batch) < batchMessages {
				select {
				case m := <-arrived:
					batch = append(batch, m)
				default:
					break more
				}
			}
			err := r.batch(batch)
			if errors.Is(err, errAgain) {
				return false, err
			}
			if err != nil {
				return true, err
			}
			r.saveIfDue()
		case err := <-failed:
			switch {
			case errors.Is(err, jetstream.ErrNoHeartbeat):
				err = fmt.Errorf("%w: the server does not answer, or the consumer was removed", err)
			case errors.Is(err, jetstream.ErrMaxBytesExceeded) && r.pullBytes < mostPullBytes:
				r.pullBytes *= 2 // the message was stored under a larger max_payload
				err = errAgain
			}
			return false, err
		case <-r.connected:
			r.mu.Lock()
			r.result.Lost++
			r.mu.Unlock()
			if r.opts.Consumer == "" { // messages in flight are not delivered to this consumer again
				return false, errAgain
			}
		case <-r.ticks.C:
			if err := r.maintain(ctx, c); err != nil {
				return true, err
			}
		case <-ctx.Done():
			return true, nil
		}
	}
}

// maintain evicts sources, forgets acknowledged messages and saves the position.
func (r *reading) maintain(ctx context.Context, c jetstream.Consumer) error {
	if err := r.failure(); err != nil {
		return err
	}
	r.evict()
	if r.opts.Consumer != "" && r.conn.IsConnected() {
		asking, cancel := context.WithTimeout(ctx, tick)
		if info, err := c.Info(asking); err == nil {
			r.mu.Lock()
			r.known.forget(info.AckFloor.Stream)
			r.mu.Unlock()
		}
		cancel()
	}
	r.saveIfDue()
	return nil
}

// assigned is a message of a batch with its source.
type assigned struct {
	*message
	source *source
}

// batch records messages. It first writes to the log which frames the messages become, and then
// records them.
func (r *reading) batch(batch []jetstream.Msg) error {
	list := make([]assigned, 0, len(batch))
	again := error(nil)
	for i, m := range batch {
		meta, err := m.Metadata()
		if err != nil {
			return fmt.Errorf("read JetStream stream %s: %w", r.opts.Stream, err)
		}
		if r.opts.Consumer == "" && meta.Sequence.Consumer != r.order+1 {
			again = errAgain // a message in flight was lost
			break
		}
		if to := r.passed(meta.Sequence.Stream); to > 0 {
			if len(list) > 0 { // the note comes after the messages that are assigned
				if err := r.recordAll(list); err != nil {
					return err
				}
				return r.batch(batch[i:])
			}
			if err := r.missing(to); err != nil {
				return err
			}
		}
		r.order = meta.Sequence.Consumer
		msg := r.convert(m, meta)
		s, err := r.assign(msg)
		if err != nil {
			return err
		}
		if s != nil {
			list = append(list, assigned{msg, s})
		}
	}
	if err := r.recordAll(list); err != nil {
		return err
	}
	r.evict()
	return again
}

// recordAll writes the log and records the messages that were assigned.
func (r *reading) recordAll(list []assigned) error {
	if err := r.position.flush(); err != nil {
		return err
	}
	for _, a := range list {
		if a.source.element == nil {
			continue // its session was deleted
		}
		if err := r.take(a.source, a.message); err != nil {
			return err
		}
	}
	return nil
}

// assign adds a message to the log. It returns a nil source for a message that is not recorded.
func (r *reading) assign(m *message) (*source, error) {
	r.mu.Lock()
	recorded, durable := r.known.has(m.number)
	r.mu.Unlock()
	switch {
	case recorded:
		if durable && m.ack != nil {
			m.ack()
		}
		return nil, nil
	case r.skips(m):
		if m.ack != nil {
			m.ack()
		}
		r.mu.Lock()
		r.known.last = max(r.known.last, m.number)
		r.mu.Unlock()
		return nil, nil
	}
	s, fresh, err := r.use(m)
	if err != nil {
		return nil, err
	}
	if fresh {
		if err := r.position.opened(s); err != nil {
			return nil, err
		}
	}
	frames := r.frames(m)
	if m.number > r.known.last {
		r.lastAt = time.Unix(0, m.at)
	}
	r.mu.Lock()
	r.known.add(m.number)
	s.assign(pending{number: m.number, frames: frames, ack: m.ack})
	r.mu.Unlock()
	return s, r.position.assigned(s, m.number, frames)
}
