package jetstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Backlog describes the partitions of the blocks together, and how much of them the sink has not
// stored. JetStream counts messages; a message holds one block or several.
type Backlog struct {
	Partitions int    `json:"partitions"`
	Messages   uint64 `json:"messages"`
	Bytes      uint64 `json:"bytes"`
	Limit      uint64 `json:"limit_bytes"` // sum of the sizes above which partitions refuse messages; 0 for none
	// Fill is the used part of the limit of the partition that is fullest, from 0 to 1; 0 without a
	// limit.
	Fill float64 `json:"fill"`
	// Unstored counts the messages that the sink has not acknowledged. UnstoredBytes is their share
	// of Bytes, an estimate that assumes messages of equal size.
	Unstored      uint64    `json:"unstored_messages"`
	InFlight      uint64    `json:"in_flight_messages"`   // delivered to sinks and not acknowledged
	Redelivered   uint64    `json:"redelivered_messages"` // messages of the backlog that were delivered before
	UnstoredBytes uint64    `json:"unstored_bytes"`
	OldestAt      time.Time `json:"oldest_unstored_at,omitzero"` // publishing time of the oldest unstored message
	OldestMS      float64   `json:"oldest_unstored_ms"`          // age of that message
}

// Age returns how long the oldest message has waited for the sink; 0 if none waits.
func (b *Backlog) Age() time.Duration { return time.Duration(b.OldestMS * float64(time.Millisecond)) }

// BacklogReader reads the backlog from JetStream, at most once a second: calls within a second
// return the previous result. It is safe for use by many goroutines.
type BacklogReader struct {
	js       jetstream.JetStream
	consumer string

	mu     sync.Mutex // guards the fields below, and is held during a request to JetStream
	asked  time.Time
	latest Backlog
	err    error
	oldest map[string]position // by stream: the oldest unstored message at the last lookup
}

// position is the sequence and the publishing time of a message.
type position struct {
	seq uint64
	at  time.Time
}

// backlogEvery is the minimum time between two reads from JetStream.
const backlogEvery = time.Second

// NewBacklogReader returns a reader for the consumer that the sinks share. The caller
// keeps ownership of the connection.
func NewBacklogReader(nc *nats.Conn, consumer string) (*BacklogReader, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("backlog: JetStream: %w", err)
	}
	return &BacklogReader{js: js, consumer: consumer, oldest: map[string]position{}}, nil
}

// Read returns the backlog, at most a second old.
func (r *BacklogReader) Read(ctx context.Context) (Backlog, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.asked) >= backlogEvery {
		latest, err := r.ask(ctx)
		if err != nil && ctx.Err() != nil {
			return Backlog{}, err // the caller left; the next one asks again
		}
		r.latest, r.err, r.asked = latest, err, time.Now()
	}
	b := r.latest
	if !b.OldestAt.IsZero() {
		b.OldestMS = max(0, float64(time.Since(b.OldestAt))/1e6)
	}
	return b, r.err
}

func (r *BacklogReader) ask(ctx context.Context) (Backlog, error) {
	partitions, err := Partitions(ctx, r.js)
	if err != nil {
		return Backlog{}, err
	}
	var all Backlog
	for _, s := range partitions {
		b, err := r.of(ctx, s)
		if err != nil {
			return Backlog{}, err
		}
		all.add(b)
	}
	return all, nil
}

// add adds the backlog of another partition.
func (b *Backlog) add(other Backlog) {
	b.Partitions += other.Partitions
	b.Messages, b.Bytes, b.Limit = b.Messages+other.Messages, b.Bytes+other.Bytes, b.Limit+other.Limit
	b.Fill = max(b.Fill, other.Fill)
	b.Unstored, b.UnstoredBytes = b.Unstored+other.Unstored, b.UnstoredBytes+other.UnstoredBytes
	b.InFlight, b.Redelivered = b.InFlight+other.InFlight, b.Redelivered+other.Redelivered
	if b.OldestAt.IsZero() || !other.OldestAt.IsZero() && other.OldestAt.Before(b.OldestAt) {
		b.OldestAt = other.OldestAt
	}
}

// of returns the backlog of a partition.
func (r *BacklogReader) of(ctx context.Context, s jetstream.Stream) (Backlog, error) {
	config, state := s.CachedInfo().Config, s.CachedInfo().State
	b := Backlog{Partitions: 1, Messages: state.Msgs, Bytes: state.Bytes, Limit: uint64(max(config.MaxBytes, 0))}
	if b.Limit > 0 {
		b.Fill = float64(b.Bytes) / float64(b.Limit)
	}
	stored, err := r.stored(ctx, s, &b)
	if err != nil || b.Unstored == 0 {
		return b, err
	}
	b.UnstoredBytes = b.Bytes
	if b.Unstored < b.Messages {
		b.UnstoredBytes = uint64(float64(b.Bytes) * float64(b.Unstored) / float64(b.Messages))
	}
	b.OldestAt, err = r.published(ctx, s, stored+1)
	return b, err
}

// stored sets the fields for unstored messages, and returns the sequence up to which all messages
// are stored.
func (r *BacklogReader) stored(ctx context.Context, s jetstream.Stream, b *Backlog) (uint64, error) {
	consumer, err := s.Consumer(ctx, r.consumer)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		b.Unstored = b.Messages // no sink has run yet
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("JetStream consumer %s: %w", r.consumer, err)
	}
	info := consumer.CachedInfo()
	b.InFlight, b.Redelivered = uint64(max(info.NumAckPending, 0)), uint64(max(info.NumRedelivered, 0))
	b.Unstored = min(info.NumPending+uint64(max(info.NumAckPending, 0)), b.Messages)
	return info.AckFloor.Stream, nil
}

// published returns the publishing time of the first message with a sequence of at least seq; the
// zero time if there is no such message.
func (r *BacklogReader) published(ctx context.Context, s jetstream.Stream, seq uint64) (time.Time, error) {
	state, name := s.CachedInfo().State, s.CachedInfo().Config.Name
	if seq <= state.FirstSeq {
		return state.FirstTime, nil
	}
	if oldest := r.oldest[name]; oldest.seq == seq {
		return oldest.at, nil
	}
	m, err := s.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(">"))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return time.Time{}, nil // the message was removed meanwhile
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("JetStream stream %s: message %d: %w", name, seq, err)
	}
	r.oldest[name] = position{seq, m.Time}
	return m.Time, nil
}
