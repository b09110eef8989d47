// Package sink carries blocks from JetStream into ClickHouse: a pull consumer
// takes blocks, their frames and facts become columns, the columns are
// inserted, and only then are the blocks acknowledged. It keeps no state: any
// number of sinks may share the consumer, and whatever is delivered again is
// stored again under the same keys, which changes nothing.
package sink

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest/deadletters"
	stream "tapedeck/ingest/jetstream"
	"tapedeck/schema/tombstone"
)

// Options say what a sink connects and how much it gathers. Zero values stand
// for the defaults.
type Options struct {
	NATS *nats.Conn
	DSN  string // ClickHouse
	// BatchFrames, BatchBytes and BatchAge bound what is gathered for one
	// insert: frames, raw bytes, and the time since its first block.
	BatchFrames int           // default 300,000
	BatchBytes  int           // default 64 MiB
	BatchAge    time.Duration // default 100 ms
	// However little it holds, an insert costs ClickHouse tens of milliseconds.
	// So that inserts take a fifth of the time and no more, blocks that come
	// one after the other are gathered for longer than BatchAge, up to BatchPace,
	// and for twice that where they are very many.
	BatchPace time.Duration // default 500 ms
	Keep      time.Duration // how long JetStream keeps what is stored; default 1 h
	// Deleted holds the tombstones of sessions that are not stored; nil for none. With
	// it, Complete removes what is left of a deletion.
	Deleted  *tombstone.Set
	Complete func(context.Context, *tombstone.Tombstone) error
	// Version of this program: each version retries all dead letters once.
	Version string
	// RetryEvery is the interval between rounds of retried dead letters; default 1 min.
	RetryEvery time.Duration
	Log        *slog.Logger
}

// Sink is one consumer of blocks.
type Sink struct {
	opts Options
	js   jetstream.JetStream
	log  *slog.Logger
	out  *inserter
	stat status

	stored  chan struct{} // holds a token once something was stored that trimLoop has not seen
	retrier *deadletters.Retrier
}

// ConsumerName is the durable consumer that all sinks share.
const ConsumerName = "sink"

const (
	// A block of which nothing is heard within this time is delivered again: so
	// long it takes until others store what a killed sink had. One that is being
	// stored is told of meanwhile.
	ackWait = 10 * time.Second
	// Blocks that a consumer may have delivered and not acknowledged, over all sinks.
	maxAckPending = 65536
)

// New makes a sink. The connection stays the caller's.
func New(opts Options) (*Sink, error) {
	if opts.BatchFrames == 0 {
		opts.BatchFrames = 300_000
	}
	if opts.BatchBytes == 0 {
		opts.BatchBytes = 64 << 20
	}
	if opts.BatchAge == 0 {
		opts.BatchAge = 100 * time.Millisecond
	}
	if opts.BatchPace == 0 {
		opts.BatchPace = 500 * time.Millisecond
	}
	if opts.Keep == 0 {
		opts.Keep = stream.Config{}.WithDefaults().Keep
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Version == "" {
		opts.Version = "unknown"
	}
	js, err := jetstream.New(opts.NATS)
	if err != nil {
		return nil, fmt.Errorf("sink: JetStream: %w", err)
	}
	dead, err := deadletters.Open(opts.NATS)
	if err != nil {
		return nil, err
	}
	s := &Sink{opts: opts, js: js, log: opts.Log, stored: make(chan struct{}, 1)}
	s.retrier = &deadletters.Retrier{Letters: dead, Version: opts.Version, Every: opts.RetryEvery, Try: s.tryLetter, Log: opts.Log}
	s.out = &inserter{sink: s, dsn: opts.DSN, log: opts.Log, stat: &s.stat}
	return s, nil
}

// Run stores blocks until the context ends; what was gathered by then is stored
// and acknowledged, within the time that a batch takes, and what was fetched ahead
// is given back, for another sink to take at once. It heals: whatever goes away, it
// says so and tries again.
func (s *Sink) Run(ctx context.Context) error {
	defer s.out.close()
	var beside sync.WaitGroup
	beside.Go(func() { s.trimLoop(ctx) })
	defer beside.Wait()
	s.awaitTables(ctx)
	if s.opts.Deleted != nil {
		beside.Go(func() { s.sweep(ctx) })
	}
	beside.Go(func() { s.retrier.Run(ctx) })
	wait := backoff{}
	for {
		began := time.Now()
		err := s.consume(ctx)
		if ctx.Err() != nil {
			return nil
		}
		s.stat.failed("JetStream", err)
		if s.opts.NATS.IsConnected() { // else whoever made the connection says why not
			s.log.Warn("sink: consuming from JetStream failed, trying again", "error", err)
		}
		if time.Since(began) > time.Minute {
			wait = backoff{}
		}
		wait.sleep(ctx)
	}
}

// consume gathers batches from one subscription until it fails or ctx ends.
func (s *Sink) consume(ctx context.Context) error {
	consumer, err := s.js.CreateOrUpdateConsumer(ctx, stream.StreamName, jetstream.ConsumerConfig{
		Durable: ConsumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait,
		MaxAckPending: maxAckPending, MaxDeliver: -1, DeliverPolicy: jetstream.DeliverAllPolicy,
	})
	if err != nil {
		return fmt.Errorf("consumer %s: %w", ConsumerName, err)
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessagesWithBytesLimit(pullBlocks, pullSize(s.opts.NATS)),
		jetstream.PullExpiry(5*time.Second), jetstream.PullHeartbeat(2*time.Second))
	if err != nil {
		return fmt.Errorf("consumer %s: %w", ConsumerName, err)
	}
	coming := make(chan delivery, 256)
	// What was fetched ahead when ctx ends still comes, to be given back; it does
	// not where NATS is away.
	feedCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, messages.Drain)
	defer stop()
	go feed(feedCtx, messages, func() error { return s.answers(ctx, consumer) }, coming)
	defer func() { // the feeder ends with the subscription
		messages.Drain()
		// The last insert has ended. Messages fetched ahead follow one another; after a
		// pause no more come.
		last := time.AfterFunc(flushTimeout, cancel)
		defer last.Stop()
		for d := range coming {
			giveBack(d.msg)
			last.Reset(flushTimeout)
		}
		_ = s.opts.NATS.FlushTimeout(flushTimeout) // what was given back and is not told is delivered again, only later
	}()
	s.stat.connected()
	one, two := newBatch(), newBatch()
	defer holdOn(one, two)()
	g := gatherer{sink: s, batch: one, spare: make(chan *batch, 1)}
	g.spare <- two
	return g.run(ctx, coming)
}

// ended reports whether the subscription ended because it was told to.
func ended(err error) bool { return errors.Is(err, jetstream.ErrMsgIteratorClosed) }

// flushTimeout bounds how long the end of a subscription waits for NATS to have
// taken what is given back.
const flushTimeout = 500 * time.Millisecond

// giveBack has blocks delivered again at once, to whichever sink asks.
func giveBack(messages ...jetstream.Msg) {
	for _, m := range messages {
		if m != nil {
			_ = m.Nak() // lost, it is delivered again after ackWait
		}
	}
}
