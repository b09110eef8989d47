// Package sink stores blocks from JetStream in ClickHouse. A pull consumer of each partition receives
// blocks, the sink converts their frames and facts to columns and inserts the columns, and only then
// acknowledges the blocks. The sink keeps no state: any number of sinks may share the consumers. A
// redelivered block is stored again under the same keys, which is idempotent.
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

	"tapedeck/ingest/delivery/deadletters"
	stream "tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/backoff"
	"tapedeck/schema/lifecycle/change"
	"tapedeck/schema/lifecycle/tombstone"
)

// Options configure a sink. The zero value of a field means its default.
type Options struct {
	NATS *nats.Conn
	DSN  string // ClickHouse
	// BatchFrames, BatchBytes and BatchAge bound what is gathered for one insert: number of frames,
	// raw bytes, and time since the first block.
	BatchFrames int           // default 300,000
	BatchBytes  int           // default 64 MiB
	BatchAge    time.Duration // default 100 ms
	// BatchPace bounds the time for which blocks are gathered beyond BatchAge. Even a small insert
	// takes ClickHouse tens of milliseconds, so the sink gathers long enough that inserts take at
	// most a fifth of the time. Under bulk load it gathers for up to twice BatchPace, and for up to six
	// times if the load is one of bytes rather than of frames.
	BatchPace time.Duration // default 500 ms
	// HeldBytes bounds the messages that were received and are not yet stored, bytes. Each partition
	// after the first adds a pull to it, so that all can be pulled from at the same time. Up to one
	// pull is received beyond it if no other message is held: see pullSize.
	HeldBytes int           // default 128 MiB
	Keep      time.Duration // how long JetStream keeps stored blocks; default 1 h
	// Deleted holds the tombstones of deleted sessions, which are not stored; nil for none. If it
	// is set, Complete is called to finish interrupted deletions.
	Deleted  *tombstone.Set
	Complete func(context.Context, *tombstone.Tombstone) error
	// Version is the version of this program. Each version retries all dead letters once.
	Version string
	// RetryEvery is the interval between two rounds of retrying dead letters; default 1 min.
	RetryEvery time.Duration
	Log        *slog.Logger
}

// Sink consumes blocks and stores them.
type Sink struct {
	opts Options
	js   jetstream.JetStream
	log  *slog.Logger
	out  *inserter
	bulk *inserter // inserts bulk recordings
	stat status

	shards *shards
	layout *stream.Layout // how the blocks are partitioned

	changes *change.Announcer
	stored  chan struct{} // holds a token if something was stored since trimLoop last checked
	retrier *deadletters.Retrier
}

// ConsumerName is the name of the durable consumer of each partition, which all sinks share.
const ConsumerName = "sink"

const (
	// ackWait is the time without an acknowledgement or a timer reset after which JetStream
	// redelivers a block. If a sink is killed, other sinks receive its blocks after this time. A
	// running sink resets the timers of all blocks that it holds.
	ackWait = 10 * time.Second
	// DefaultHeldBytes is the default of Options.HeldBytes.
	DefaultHeldBytes = 128 << 20
	// maxAckPending bounds the messages that are delivered and not acknowledged, over all sinks.
	maxAckPending = 16384
	// maxAckPendingOnShards is maxAckPending on a cluster. It includes the messages of shards that are
	// away, which are delivered again later.
	maxAckPendingOnShards = 1 << 20
)

// New returns a sink. The caller closes the connection.
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
	if opts.HeldBytes == 0 {
		opts.HeldBytes = DefaultHeldBytes
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
	s := &Sink{opts: opts, js: js, layout: stream.NewLayout(js), log: opts.Log, stored: make(chan struct{}, 1)}
	if s.changes, err = change.NewAnnouncer(opts.NATS); err != nil {
		return nil, err
	}
	s.retrier = &deadletters.Retrier{
		Letters: dead,
		Version: opts.Version,
		Every:   opts.RetryEvery,
		Try:     s.tryLetter,
		Log:     opts.Log,
	}
	if s.shards, err = openShards(opts.DSN, opts.Log); err != nil {
		return nil, err
	}
	s.out = &inserter{sink: s, dsn: opts.DSN, log: opts.Log, stat: &s.stat}
	s.bulk = &inserter{sink: s, dsn: opts.DSN, log: opts.Log, stat: &s.stat}
	return s, nil
}

// Run stores blocks until ctx ends. Then it stores and acknowledges the gathered blocks, for at
// most drainTimeout, and returns prefetched messages to JetStream, so that another sink receives
// them at once. If NATS or ClickHouse fails, Run logs the failure and retries.
func (s *Sink) Run(ctx context.Context) error {
	defer s.out.close()
	defer s.bulk.close()
	defer s.shards.close()
	var background sync.WaitGroup
	background.Go(func() { s.trimLoop(ctx) })
	defer background.Wait()
	s.awaitTables(ctx)
	if s.opts.Deleted != nil {
		background.Go(func() { s.sweep(ctx) })
	}
	background.Go(func() { s.retrier.Run(ctx) })
	background.Go(func() { s.shards.watch(ctx) })
	wait := newBackoff()
	for {
		began := time.Now()
		err := s.consume(ctx)
		if ctx.Err() != nil {
			return nil
		}
		s.stat.unread(err)
		if errors.Is(err, errChanged) || errors.Is(err, errLargerMessages) {
			s.log.Info("sink: consuming anew", "reason", err)
			continue
		}
		if s.opts.NATS.IsConnected() { // otherwise the owner of the connection logs why not
			s.log.Warn("sink: consuming from JetStream failed, trying again", "error", err)
		}
		if time.Since(began) > time.Minute {
			wait.Reset()
		}
		backoff.Sleep(ctx, wait.Next())
	}
}

// errChanged reports that the number of partitions has changed.
var errChanged = errors.New("the number of partitions has changed")

// errLargerMessages reports that NATS has told the connection of a larger max_payload: JetStream delivers
// no message that is larger than a pull, nor any after it.
var errLargerMessages = errors.New("max_payload of NATS was raised")

// consume stores batches of all partitions until ctx ends, the number of partitions changes or NATS
// accepts larger messages. A partition that is unavailable does not delay the others.
func (s *Sink) consume(ctx context.Context) error {
	partitions, err := s.layout.Partitions(ctx)
	if err != nil {
		return err
	}
	s.stat.subscribing()
	ctx, change := context.WithCancelCause(ctx)
	defer change(nil)
	coming := newLanes()
	pull := pullSize(s.opts.NATS, partitions)
	holding := newHeld(s.opts.HeldBytes + (partitions-1)*pull)
	defer holding.keepExtending()()
	// Prefetched messages still arrive after ctx ends, and are returned. If NATS is unavailable,
	// they do not arrive.
	read, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	accept, refuse := context.WithCancel(ctx)
	var receiving, watching sync.WaitGroup
	for i := range partitions {
		receiving.Go(func() {
			s.receive(accept, read, stream.PartitionName(i), partitions, pull, receiver{held: holding, to: coming, room: pull * partitions})
		})
	}
	go func() {
		receiving.Wait()
		coming.close()
	}()
	watching.Go(func() {
		for backoff.Sleep(accept, watchEvery) {
			if now, err := s.layout.Partitions(accept); err == nil && now != partitions {
				change(errChanged)
			}
			if pullSize(s.opts.NATS, partitions) > pull {
				change(errLargerMessages)
			}
		}
	})
	defer func() { // the receivers end when the subscriptions end
		refuse()
		// The last insert has ended. The subscriptions end once NATS has confirmed that it sends
		// no more messages, or if none arrives within quietTimeout.
		last := time.AfterFunc(quietTimeout, cancel)
		defer last.Stop()
		for _, lane := range []chan delivery{coming.others, coming.bulk} {
			for d := range lane {
				returnMessages(d.msg)
				last.Reset(quietTimeout)
			}
		}
		_ = s.opts.NATS.FlushTimeout(flushTimeout) // messages whose return is lost are redelivered after ackWait
		watching.Wait()
	}()
	bulk := newGatherer(s, s.bulk)
	bulk.after = holding.awaitEarlier
	var gathering sync.WaitGroup
	gathering.Go(func() { bulk.run(ctx, coming.bulk) })
	newGatherer(s, s.out).run(ctx, coming.others)
	gathering.Wait()
	return context.Cause(ctx)
}

// watchEvery is the interval at which a sink reads the number of partitions and the size of messages.
const watchEvery = 2 * time.Second

// receive passes the messages of a partition on until accept ends, with a new subscription whenever
// one fails.
func (s *Sink) receive(accept, read context.Context, name string, partitions, pull int, r receiver) {
	wait := newBackoff()
	for accept.Err() == nil {
		began := time.Now()
		err := s.subscribe(accept, name, partitions, pull, &r)
		if err == nil {
			s.stat.connected(name)
			err = r.run(accept, read)
		}
		if accept.Err() != nil {
			return
		}
		s.stat.disconnected(name, err)
		if s.opts.NATS.IsConnected() { // otherwise the owner of the connection logs why not
			s.log.Warn("sink: consuming from JetStream failed, trying again", "stream", name, "error", err)
		}
		if time.Since(began) > time.Minute {
			wait.Reset()
		}
		backoff.Sleep(accept, wait.Next())
	}
}

// subscribe makes the consumer of a partition, which all sinks share, if there is none, and sets the
// functions of the receiver.
func (s *Sink) subscribe(ctx context.Context, name string, partitions, pull int, r *receiver) error {
	pending := maxAckPending
	if s.shards.conn != nil {
		pending = maxAckPendingOnShards
	}
	consumer, err := s.js.CreateOrUpdateConsumer(ctx, name, jetstream.ConsumerConfig{
		Durable: ConsumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait,
		MaxAckPending: pending / partitions, MaxDeliver: -1, DeliverPolicy: jetstream.DeliverAllPolicy,
	})
	if err != nil {
		return fmt.Errorf("consumer %s of JetStream stream %s: %w", ConsumerName, name, err)
	}
	r.check = func() error { return s.checkConsumer(ctx, consumer) }
	r.subscribe = func() (iterator, error) {
		messages, err := consumer.Messages(jetstream.PullMaxMessagesWithBytesLimit(pullBlocks/partitions, pull),
			jetstream.PullExpiry(5*time.Second), jetstream.PullHeartbeat(2*time.Second))
		if err != nil {
			return nil, fmt.Errorf("consumer %s of JetStream stream %s: %w", ConsumerName, name, err)
		}
		return messages, nil
	}
	return nil
}

// flushTimeout bounds how long the end of a subscription waits for NATS to receive the returned
// messages.
const flushTimeout = 500 * time.Millisecond

// quietTimeout is the time without a message after which a sink that stops no longer waits for its
// subscriptions to end. A busy machine can delay a message by more than flushTimeout.
const quietTimeout = 2 * time.Second

// returnMessages returns messages to JetStream, which redelivers them at once to any sink.
func returnMessages(messages ...jetstream.Msg) {
	for _, m := range messages {
		if m != nil {
			_ = m.Nak() // if this is lost, the message is redelivered after ackWait
		}
	}
}
