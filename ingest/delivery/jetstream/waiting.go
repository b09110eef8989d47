package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Waiting describes the frames of a tenant that the sink has not stored. Frames and Streams are as
// the publishers state them, the times are JetStream's own.
type Waiting struct {
	Frames  uint64
	Streams int
	// More reports that there may be more frames and streams.
	More bool
	// At is the time to which the figures refer.
	At time.Time
	// OldestAt is the publishing time of the oldest message; zero if no message waits.
	OldestAt time.Time
}

// WaitingReader reads from JetStream which frames wait for the sink. It is safe for use by many
// goroutines.
type WaitingReader struct {
	nc       *nats.Conn
	js       jetstream.JetStream
	consumer string
	decoded  atomic.Uint64 // number of blocks that were decoded

	mu     sync.Mutex // guards latest
	latest map[string]*waitingAt
}

// waitingAt is the latest answer for a tenant, with the time until which it is reused. Each tenant
// has a lock of its own, so that requests wait only for reads of the same tenant.
type waitingAt struct {
	mu       sync.Mutex        // guards the fields below, and is held during a request to JetStream
	messages []waitingMessages // by partition
	waiting  Waiting
	until    time.Time
	err      error
}

const (
	// waitingFor and waitingErrFor are the minimum times for which an answer and an error are
	// reused. An answer that took long, because many messages wait, is reused for longer.
	waitingFor    = 20 * time.Millisecond
	waitingErrFor = 2 * time.Second
	// waitingBytes and waitingTime bound what one answer reads.
	waitingBytes   = 64 << 20
	waitingTime    = time.Second
	waitingTimeout = 2 * time.Second
	waitingTenants = 1024 // maximum number of tenants whose answers are kept
)

// NewWaitingReader returns a reader for the consumer that the sinks share. The caller keeps
// ownership of the connection.
func NewWaitingReader(nc *nats.Conn, consumer string) (*WaitingReader, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("waiting frames: JetStream: %w", err)
	}
	return &WaitingReader{nc: nc, js: js, consumer: consumer, latest: map[string]*waitingAt{}}, nil
}

// Read returns the frames of a tenant that wait for the sink.
func (r *WaitingReader) Read(ctx context.Context, tenant string) (Waiting, error) {
	if !r.nc.IsConnected() {
		return Waiting{}, fmt.Errorf("waiting frames: %w", nats.ErrDisconnected)
	}
	known := r.of(tenant)
	known.mu.Lock()
	defer known.mu.Unlock()
	began := time.Now()
	if began.Before(known.until) {
		return known.waiting, known.err
	}
	asking, cancel := context.WithTimeout(ctx, waitingTimeout)
	defer cancel()
	w, err := r.ask(asking, tenant, &known.messages)
	w.At = began
	if err != nil && ctx.Err() != nil {
		return w, err // only this client's request was cancelled
	}
	keep := max(waitingFor, 3*time.Since(began))
	if err != nil {
		keep = waitingErrFor
	}
	known.waiting, known.until, known.err = w, time.Now().Add(keep), err
	return w, err
}

// of returns the latest answer for a tenant. With more than waitingTenants tenants, all answers are
// dropped.
func (r *WaitingReader) of(tenant string) *waitingAt {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.latest[tenant]
	if known == nil {
		if len(r.latest) >= waitingTenants {
			clear(r.latest)
		}
		known = &waitingAt{}
		r.latest[tenant] = known
	}
	return known
}

// ask brings the messages of a tenant up to date and returns what they hold.
func (r *WaitingReader) ask(ctx context.Context, tenant string, messages *[]waitingMessages) (w Waiting, err error) {
	partitions, err := Partitions(ctx, r.js)
	if err != nil {
		return Waiting{}, err
	}
	if len(*messages) != len(partitions) {
		*messages = make([]waitingMessages, len(partitions))
	}
	read := amount{began: time.Now()}
	for i, s := range partitions {
		first, err := r.unstored(ctx, s)
		if err != nil {
			return Waiting{}, err
		}
		one, err := r.update(ctx, s, tenant, first, &(*messages)[i], &read)
		if err != nil {
			return Waiting{}, err
		}
		w.add(one)
	}
	return w, nil
}

// amount is what an answer has read from all partitions.
type amount struct {
	began time.Time
	bytes int
}

// add adds a message, and reports whether the answer has read enough.
func (a *amount) add(m *jetstream.RawStreamMsg) (enough bool) {
	a.bytes += len(m.Data)
	return a.bytes > waitingBytes || time.Since(a.began) > waitingTime
}

// add adds what waits in another partition, which has other sessions. A stream of both is counted
// twice.
func (w *Waiting) add(other Waiting) {
	w.Frames += other.Frames
	w.Streams += other.Streams
	w.More = w.More || other.More
	if w.OldestAt.IsZero() || !other.OldestAt.IsZero() && other.OldestAt.Before(w.OldestAt) {
		w.OldestAt = other.OldestAt
	}
}

// unstored returns the sequence from which on the sink may not have stored messages of a partition.
func (r *WaitingReader) unstored(ctx context.Context, s jetstream.Stream) (first uint64, err error) {
	consumer, err := s.Consumer(ctx, r.consumer)
	switch {
	case errors.Is(err, jetstream.ErrConsumerNotFound): // no sink ever ran
		return 1, nil
	case err != nil:
		return 0, fmt.Errorf("JetStream consumer %s: %w", r.consumer, err)
	}
	// The consumer's number of pending messages may lag behind the stream.
	return consumer.CachedInfo().AckFloor.Stream + 1, nil
}

// update reads the oldest message of a tenant from first on, and those that came since the last
// update. Every answer reads the oldest one again, so that OldestAt is right also if messages were
// removed. It reads other messages once.
func (r *WaitingReader) update(
	ctx context.Context, s jetstream.Stream, tenant string, first uint64, messages *waitingMessages, read *amount,
) (Waiting, error) {
	more := false
	last := s.CachedInfo().State.LastSeq
	oldest, err := next(ctx, s, tenant, first)
	if err != nil {
		return Waiting{}, err
	}
	messages.startAt(oldest)
	for m := oldest; m != nil; {
		if m != oldest || messages.empty() {
			messages.add(r.contentsOf(m))
		}
		first = messages.last() + 1
		more = read.add(m) || messages.full()
		if more || first > last {
			break
		}
		if m, err = next(ctx, s, tenant, first); err != nil {
			return Waiting{}, err
		}
	}
	w := messages.sum()
	w.More = w.More || more
	return w, nil
}

// next returns the first message of a tenant from a sequence on; nil if there is none.
func next(ctx context.Context, s jetstream.Stream, tenant string, first uint64) (*jetstream.RawStreamMsg, error) {
	all := strings.TrimSuffix(strings.TrimPrefix(s.CachedInfo().Config.Subjects[0], drainPrefix), ">")
	m, err := s.GetMsg(ctx, first, jetstream.WithGetMsgSubject(all+tenant+".>"))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what waits in JetStream stream %s: %w", s.CachedInfo().Config.Name, err)
	}
	return m, nil
}
