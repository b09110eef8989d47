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
	// More reports that only a part was looked at: there are more frames and streams.
	More bool
	// First and Last bound when the frames arrived, ns.
	First, Last int64
	// OldestAt is when the oldest message was published; zero if none waits.
	OldestAt time.Time
}

// In reports whether frames may have arrived in a range, half open.
func (w *Waiting) In(from, to time.Time) bool {
	return w.More || w.Frames > 0 && w.First < to.UnixNano() && w.Last >= from.UnixNano()
}

// WaitingReader reads from JetStream what waits. It is safe for use by many goroutines.
type WaitingReader struct {
	js       jetstream.JetStream
	consumer string

	mu     sync.Mutex // guards what follows, also during a request to JetStream
	latest map[string]waitingAt
}

type waitingAt struct {
	waiting Waiting
	at      time.Time
	err     error
}

const (
	// waitingFor is for how long an answer is returned again.
	waitingFor = 20 * time.Millisecond
	// waitingMessages and waitingBytes bound what is read of the messages that wait.
	waitingMessages = 4096
	waitingBytes    = 64 << 20
	waitingTimeout  = 3 * time.Second
	waitingTenants  = 1024 // whose answers are kept
)

// NewWaitingReader returns a reader for the consumer that the sinks share. The caller keeps ownership of
// the connection.
func NewWaitingReader(nc *nats.Conn, consumer string) (*WaitingReader, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("waiting frames: JetStream: %w", err)
	}
	return &WaitingReader{js: js, consumer: consumer, latest: map[string]waitingAt{}}, nil
}

// Read returns what waits of a tenant.
func (r *WaitingReader) Read(ctx context.Context, tenant string) (Waiting, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.latest[tenant]; ok && time.Since(known.at) < waitingFor {
		return known.waiting, known.err
	}
	if len(r.latest) >= waitingTenants {
		clear(r.latest)
	}
	ctx, cancel := context.WithTimeout(ctx, waitingTimeout)
	defer cancel()
	at := time.Now()
	w, err := r.ask(ctx, tenant)
	r.latest[tenant] = waitingAt{w, at, err}
	return w, err
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
		// The number of pending messages of the consumer may lag behind the stream.
		first = consumer.CachedInfo().AckFloor.Stream + 1
	}
	if first > s.CachedInfo().State.LastSeq {
		return Waiting{}, nil
	}
	return r.read(ctx, s, tenant, first)
}

// read decodes the messages of a tenant from a sequence on, within the bounds.
func (r *WaitingReader) read(ctx context.Context, s jetstream.Stream, tenant string, first uint64) (Waiting, error) {
	c, err := s.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{ingest.SubjectPrefix + tenant + ".>"}, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: first,
		InactiveThreshold: 10 * time.Second,
	})
	if err != nil {
		return Waiting{}, fmt.Errorf("read what waits in JetStream: %w", err)
	}
	info, err := c.Info(ctx)
	if err != nil {
		return Waiting{}, fmt.Errorf("read what waits in JetStream: %w", err)
	}
	all := info.NumPending
	if all == 0 {
		return Waiting{}, nil
	}
	batch, err := c.FetchNoWait(int(min(all, waitingMessages)))
	if err != nil {
		return Waiting{}, fmt.Errorf("read what waits in JetStream: %w", err)
	}
	add := waitingAdder{streams: map[string]bool{}}
	for m := range batch.Messages() {
		add.message(m)
	}
	add.waiting.Streams = len(add.streams)
	add.waiting.More = add.waiting.More || add.messages < all
	return add.waiting, batch.Error()
}

// waitingAdder adds up the blocks of messages.
type waitingAdder struct {
	waiting  Waiting
	streams  map[string]bool
	messages uint64
	bytes    int
	decoder  block.Decoder
	block    block.Block
	entries  []block.Entry
}

func (a *waitingAdder) message(m jetstream.Msg) {
	a.messages++
	if meta, err := m.Metadata(); err == nil && (a.waiting.OldestAt.IsZero() || meta.Timestamp.Before(a.waiting.OldestAt)) {
		a.waiting.OldestAt = meta.Timestamp
	}
	if a.bytes += len(m.Data()); a.bytes > waitingBytes {
		a.waiting.More = true
		return
	}
	var err error
	if a.entries, err = block.Entries(m.Data(), a.entries); err != nil {
		a.waiting.More = true // what is in it is not known
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

// add adds the decoded block.
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
	if len(a.block.Frames) == 0 && a.block.Facts.Len() > 0 { // facts alone change reports too
		at := a.block.State.LastAt
		if w.First == 0 || at < w.First {
			w.First = at
		}
		w.Last = max(w.Last, at)
	}
}
