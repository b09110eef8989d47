package natstap

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"tapedeck/ingest"
)

const (
	// tick is the interval at which the recording counts drops, ends idle streams and saves the
	// position.
	tick = time.Second
	// subscribeTimeout bounds how long the server may take to answer at the start.
	subscribeTimeout = 10 * time.Second
	// drainTimeout bounds how long messages that have arrived are recorded at the end.
	drainTimeout = 5 * time.Second
)

// subscribe records a subject without JetStream until ctx ends.
func (t *tap) subscribe(ctx context.Context) error {
	arrived := make(chan *nats.Msg)
	ended := make(chan struct{})
	stop := make(chan struct{})
	defer close(stop)
	sub, err := t.conn.QueueSubscribe(t.opts.Subject, t.opts.Queue, func(m *nats.Msg) {
		select {
		case arrived <- m:
		case <-stop:
		}
	})
	if err == nil {
		sub.SetClosedHandler(func(string) { close(ended) })
		err = sub.SetPendingLimits(t.opts.PendingMessages, t.opts.PendingBytes+int(t.conn.MaxPayload()))
	}
	if err == nil {
		err = t.conn.FlushTimeout(subscribeTimeout)
	}
	if err == nil && errors.Is(t.conn.LastError(), nats.ErrPermissionViolation) {
		err = t.conn.LastError()
	}
	if err != nil {
		return t.refused("subscribe to "+t.opts.Subject, err)
	}
	t.log.Info("nats tap: subject is being recorded", "subject", t.opts.Subject, "queue", t.opts.Queue)
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	dropped, done := 0, ctx.Done()
	var late <-chan time.Time
	for {
		var err error
		select {
		case m := <-arrived:
			err = t.arrive(m)
		case down := <-t.connected:
			err = t.disconnected(down)
		case <-t.denied:
			err = t.refused("subscribe to "+t.opts.Subject, nats.ErrPermissionViolation)
		case <-ticks.C:
			t.evict()
			err = t.dropped(sub, &dropped)
		case <-done:
			done, late = nil, time.After(drainTimeout)
			_ = sub.Drain() // without a connection nothing more arrives, and the subscription is closed below
			if !t.conn.IsConnected() {
				late = time.After(0)
			}
		case <-ended:
			err = t.dropped(sub, &dropped)
			t.endAll(true)
			return err
		case <-late:
			err = t.dropped(sub, &dropped)
			t.endAll(true)
			return err
		}
		if err != nil {
			t.endAll(true)
			return err
		}
	}
}

// arrive records a message of the subscription.
func (t *tap) arrive(m *nats.Msg) error {
	msg := &message{subject: m.Subject, reply: m.Reply, header: m.Header, data: m.Data, at: ingest.Now()}
	if t.skips(msg) {
		return nil
	}
	s, fresh, err := t.use(msg)
	if err != nil {
		return err
	}
	t.mu.Lock()
	s.count++
	t.mu.Unlock()
	if err := t.take(s, msg); err != nil {
		return err
	}
	if fresh {
		t.evict()
	}
	return nil
}

// dropped notes the messages that were dropped since the last call.
func (t *tap) dropped(sub *nats.Subscription, before *int) error {
	now, err := sub.Dropped()
	if err != nil || now <= *before {
		return nil // a subscription that has ended does not count any more
	}
	n := now - *before
	*before = now
	t.mu.Lock()
	t.result.Dropped += uint64(n)
	t.mu.Unlock()
	t.log.Warn("nats tap: messages were dropped because recording is too slow for the subject", "subject", t.opts.Subject, "messages", n,
		"pending_limit", t.opts.PendingMessages, "pending_bytes", t.opts.PendingBytes)
	return t.gap(fmt.Sprintf("%d messages on %s were dropped: recording was too slow; messages of this subject may be among them", n, t.opts.Subject))
}

// disconnected notes that the subscription was interrupted.
func (t *tap) disconnected(down time.Duration) error {
	t.mu.Lock()
	t.result.Lost++
	t.mu.Unlock()
	return t.gap(fmt.Sprintf("the NATS connection was lost for %v: what was published meanwhile is not recorded",
		down.Round(time.Millisecond)))
}

// refused returns the error for a request that the server refused.
func (t *tap) refused(what string, err error) error {
	last := t.conn.LastError()
	if errors.Is(err, nats.ErrPermissionViolation) || errors.Is(last, nats.ErrPermissionViolation) {
		if last != nil {
			err = last
		}
		return fmt.Errorf("%s: the NATS user may not (%w)\nPermit it in the server's configuration, or name another user with --nats-credentials", what, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}
