package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Options configure a log. The zero value of a field means its default.
type Options struct {
	NATS     *nats.Conn
	Replicas int // of the stream; default 1
	Queue    int // entries that wait for JetStream; default DefaultQueue
	Log      *slog.Logger
}

// DefaultQueue is the maximum number of entries that wait for JetStream.
const DefaultQueue = 10_000

const (
	batchEntries = 500                    // of a message
	batchWait    = 100 * time.Millisecond // time for which an entry waits for others
	natsTimeout  = 5 * time.Second
)

// ErrFull is the error for an entry that does not fit into the queue, because JetStream accepts
// none.
var ErrFull = errors.New("the audit log takes no entries")

// Log records entries. It is safe for use by many goroutines. A nil Log records nothing and returns
// no error.
type Log struct {
	opts   Options
	js     jetstream.JetStream
	queue  chan Entry
	ending chan struct{} // closed by Close
	done   chan struct{}
	life   context.Context
	cancel context.CancelFunc

	mu    sync.Mutex
	ready bool // the stream exists
}

// Open starts a log. It does not wait for NATS. Close ends the log.
func Open(o Options) (*Log, error) {
	if o.Queue == 0 {
		o.Queue = DefaultQueue
	}
	o.Replicas = max(o.Replicas, 1)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	js, err := jetstream.New(o.NATS)
	if err != nil {
		return nil, fmt.Errorf("audit log: JetStream: %w", err)
	}
	l := &Log{opts: o, js: js, queue: make(chan Entry, o.Queue), ending: make(chan struct{}), done: make(chan struct{})}
	l.life, l.cancel = context.WithCancel(context.Background())
	go l.run()
	return l, nil
}

// Record stores an entry. The entry is durable in JetStream when Record returns without an error.
// It replaces an entry with the same id whose outcome is Begun.
func (l *Log) Record(ctx context.Context, e Entry) error {
	if l == nil {
		return nil
	}
	e.complete(time.Now())
	if err := l.publish(ctx, []Entry{e}); err != nil {
		return fmt.Errorf("audit log: %s of %q: %w", e.Action, e.Object, err)
	}
	entries.WithLabelValues(string(e.Action), string(e.Outcome)).Inc()
	return nil
}

// Note stores an entry soon, together with others. It returns ErrFull if the entry is lost.
func (l *Log) Note(e Entry) error { return l.note(e, 1) }

// Full reports whether an entry that is passed to Note now would be lost.
func (l *Log) Full() bool { return l != nil && len(l.queue) == cap(l.queue) }

// Refused records an entry for a refusal. These entries may use at most half of the queue, since
// any client can cause them; further entries are lost and counted.
func (l *Log) Refused(e Entry) {
	e.Outcome = Refused
	_ = l.note(e, 2) // note has counted a lost entry
}

// note adds an entry to the queue. The entry may use 1/share of the queue.
func (l *Log) note(e Entry, share int) error {
	if l == nil {
		return nil
	}
	e.complete(time.Now())
	if l.life.Err() == nil && len(l.queue) < cap(l.queue)/share {
		waiting.Inc()
		select {
		case l.queue <- e:
			entries.WithLabelValues(string(e.Action), string(e.Outcome)).Inc()
			return nil
		default:
			waiting.Dec()
		}
	}
	lost.WithLabelValues(lostFull).Inc()
	return ErrFull
}

// run publishes the queued entries, until Close.
func (l *Log) run() {
	defer close(l.done)
	for {
		batch := l.collect()
		if len(batch) == 0 {
			return
		}
		for wait, said := 100*time.Millisecond, false; ; wait = min(2*wait, 5*time.Second) {
			err := l.publish(l.life, batch)
			if err == nil {
				waiting.Sub(float64(len(batch)))
				break
			}
			if l.life.Err() != nil {
				n := len(batch) + len(l.queue)
				lost.WithLabelValues(lostStopped).Add(float64(n))
				waiting.Sub(float64(n))
				l.opts.Log.Error("audit log: entries are lost: JetStream did not take them before the end", "entries", n, "error", err)
				return
			}
			if !said {
				l.opts.Log.Warn("audit log: JetStream takes no entries, they wait", "waiting",
					len(batch)+len(l.queue), "queue_limit", cap(l.queue), "error", err)
				said = true
			}
			select {
			case <-time.After(wait):
			case <-l.life.Done():
			}
		}
	}
}

// collect waits for entries, and returns some; none after the log has ended and the queue is empty.
func (l *Log) collect() []Entry {
	var batch []Entry
	var due <-chan time.Time
	for len(batch) < batchEntries {
		select {
		case e := <-l.queue:
			batch = append(batch, e)
			if due == nil {
				due = time.After(batchWait)
			}
		case <-due:
			return batch
		case <-l.ending:
			if len(l.queue) == 0 {
				return batch
			}
		}
	}
	return batch
}

// publish stores entries as one message.
func (l *Log) publish(ctx context.Context, batch []Entry) error {
	if !l.opts.NATS.IsConnected() {
		return fmt.Errorf("publish to %s: NATS is not connected", StreamName)
	}
	ctx, cancel := context.WithTimeout(ctx, natsTimeout)
	defer cancel()
	if err := l.ensure(ctx); err != nil {
		return err
	}
	data, err := json.Marshal(batch)
	if err != nil {
		return err
	}
	id := batch[0].ID + "." + string(batch[0].Outcome)
	if _, err := l.js.Publish(ctx, Subject, data, jetstream.WithMsgID(id)); err != nil {
		if errors.Is(err, jetstream.ErrNoStreamResponse) { // the stream was removed
			l.mu.Lock()
			l.ready = false
			l.mu.Unlock()
		}
		return fmt.Errorf("publish to %s: %w", StreamName, err)
	}
	return nil
}

// Close publishes the queued entries, until ctx ends.
func (l *Log) Close(ctx context.Context) {
	if l == nil {
		return
	}
	close(l.ending)
	stop := context.AfterFunc(ctx, l.cancel)
	<-l.done
	stop()
	l.cancel()
}
