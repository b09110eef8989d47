package jetstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/schema/block"
)

// Waiting describes the frames of a tenant that the sink has not stored.
type Waiting struct {
	Frames  uint64
	Streams int
	// More reports that only a part of the messages was read: there are more frames and streams.
	More bool
	// First and Last are the earliest and latest arrival of the frames, ns.
	First, Last int64
	// At is the time to which the figures refer.
	At time.Time
	// OldestAt is the publishing time of the oldest message; zero if no message waits.
	OldestAt time.Time
}

// In reports whether frames may have arrived in the range [from, to).
func (w *Waiting) In(from, to time.Time) bool {
	return w.More || w.Frames > 0 && w.First < to.UnixNano() && w.Last >= from.UnixNano()
}

// WaitingReader reads from JetStream which frames wait for the sink. It is safe for use by many
// goroutines.
type WaitingReader struct {
	nc       *nats.Conn
	js       jetstream.JetStream
	consumer string

	mu     sync.Mutex // guards latest
	latest map[string]*waitingAt
}

// waitingAt is the latest answer for a tenant, with the time until which it is reused. Each tenant
// has a lock of its own, so that requests wait only for reads of the same tenant.
type waitingAt struct {
	mu      sync.Mutex // guards the fields below, and is held during a request to JetStream
	waiting Waiting
	until   time.Time
	err     error
}

const (
	// waitingFor and waitingErrFor are the minimum times for which an answer and an error are
	// reused. An answer that took long, because many messages wait, is reused for longer.
	waitingFor    = 20 * time.Millisecond
	waitingErrFor = 2 * time.Second
	// waitingMessages, waitingBytes and waitingTime bound one read of waiting messages.
	waitingMessages = 8192
	waitingBytes    = 64 << 20
	waitingTime     = time.Second
	waitingTimeout  = 2 * time.Second
	waitingTenants  = 1024 // maximum number of tenants whose answers are kept
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
	w, err := r.ask(asking, tenant)
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

func (r *WaitingReader) ask(ctx context.Context, tenant string) (Waiting, error) {
	s, err := r.js.Stream(ctx, StreamName)
	if err != nil {
		return Waiting{}, fmt.Errorf("JetStream stream %s: %w", StreamName, err)
	}
	first := uint64(1)
	consumer, err := s.Consumer(ctx, r.consumer)
	switch {
	case errors.Is(err, jetstream.ErrConsumerNotFound): // no sink ever ran
	case err != nil:
		return Waiting{}, fmt.Errorf("JetStream consumer %s: %w", r.consumer, err)
	default:
		// The consumer's number of pending messages may lag behind the stream.
		first = consumer.CachedInfo().AckFloor.Stream + 1
	}
	return read(ctx, s, tenant, first)
}

// read decodes the messages of a tenant in the stream from a sequence on, within the bounds.
func read(ctx context.Context, s jetstream.Stream, tenant string, first uint64) (Waiting, error) {
	add := waitingAdder{streams: map[string]bool{}}
	last, began := s.CachedInfo().State.LastSeq, time.Now()
	of := jetstream.WithGetMsgSubject(ingest.SubjectPrefix + tenant + ".>")
	for first <= last && !add.waiting.More {
		m, err := s.GetMsg(ctx, first, of)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			break
		}
		if err != nil {
			return Waiting{}, fmt.Errorf("read what waits in JetStream stream %s: %w", StreamName, err)
		}
		first = m.Sequence + 1
		add.message(m)
		add.waiting.More = add.waiting.More || add.messages >= waitingMessages || time.Since(began) > waitingTime
	}
	add.waiting.Streams = len(add.streams)
	return add.waiting, nil
}

// waitingAdder adds up the blocks of the messages.
type waitingAdder struct {
	waiting  Waiting
	streams  map[string]bool
	messages int
	bytes    int
	decoder  block.Decoder
	block    block.Block
	entries  []block.Entry
}

func (a *waitingAdder) message(m *jetstream.RawStreamMsg) {
	a.messages++
	if a.waiting.OldestAt.IsZero() {
		a.waiting.OldestAt = m.Time
	}
	if a.bytes += len(m.Data); a.bytes > waitingBytes {
		a.waiting.More = true
	}
	var err error
	if a.entries, err = block.Entries(m.Data, a.entries); err != nil {
		a.waiting.More = true // the contents of the message are unknown
		return
	}
	for _, e := range a.entries {
		if err := a.decoder.Decode(e.Data, &a.block); err != nil {
			a.waiting.More = true
			continue
		}
		a.add()
	}
}

// add adds the decoded block to the figures.
func (a *waitingAdder) add() {
	w := &a.waiting
	if id := a.block.State.StreamID; !a.streams[id] {
		a.streams[string([]byte(id))] = true // the decoder reuses its buffer
	}
	w.Frames += uint64(len(a.block.Frames))
	for i := range a.block.Frames {
		at := a.block.Frames[i].At
		if w.First == 0 || at < w.First {
			w.First = at
		}
		w.Last = max(w.Last, at)
	}
	if len(a.block.Frames) == 0 && a.block.Facts.Len() > 0 { // a block of facts without frames changes reports too
		at := a.block.State.LastAt
		if w.First == 0 || at < w.First {
			w.First = at
		}
		w.Last = max(w.Last, at)
	}
}
