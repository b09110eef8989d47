package natstap

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	ownstream "tapedeck/ingest/jetstream"
	"tapedeck/internal/backoff"
)

const (
	// batchMessages bounds what is recorded between two writes of the log.
	batchMessages = 256
	// pullMessages and pullBytes bound what the server sends ahead.
	pullMessages = 1024
	pullBytes    = 16 << 20
	// unacknowledged bounds the messages in flight of a consumer that is created here.
	unacknowledged = 20_000
	// forgotten is after how long the server removes a consumer without a name that is not read.
	forgotten = 5 * time.Minute
)

// reading is the recording of a JetStream stream.
type reading struct {
	*tap
	js     jetstream.JetStream
	stream jetstream.Stream
	next   uint64 // the first number to read; without a named consumer
	order  uint64 // number of the last delivery of the consumer; without a name
	ticks  *time.Ticker
}

// readStream records a JetStream stream until ctx ends.
func (t *tap) readStream(ctx context.Context) error {
	if strings.HasPrefix(t.opts.Stream, ownstream.StreamName) {
		return fmt.Errorf("record stream %s: it holds the recordings of a tapedeck server, so this would record its own recording", t.opts.Stream)
	}
	r := &reading{tap: t, ticks: time.NewTicker(tick)}
	defer r.ticks.Stop()
	if err := r.open(ctx); err != nil {
		return err
	}
	defer t.position.close()
	if err := r.resume(ctx); err != nil {
		t.endAll(false) // the position stays as it was
		return err
	}
	t.log.Info("JetStream stream is being recorded", "stream", t.opts.Stream, "subject", t.opts.Subject, "consumer", t.opts.Consumer, "from", r.next)
	err := r.run(ctx)
	t.endAll(t.position == nil)
	if saved := t.save(); err == nil {
		err = saved
	}
	return err
}

// open finds the stream and loads the position.
func (r *reading) open(ctx context.Context) error {
	var err error
	if r.js, err = jetstream.New(r.conn); err != nil {
		return err
	}
	asking, cancel := context.WithTimeout(ctx, subscribeTimeout)
	defer cancel()
	go func() { // a request that the user may not send is not answered
		select {
		case <-r.denied:
			cancel()
		case <-asking.Done():
		}
	}()
	what := "read JetStream stream " + r.opts.Stream
	if r.stream, err = r.js.Stream(asking, r.opts.Stream); err != nil {
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("%s: the server has no such stream; \"nats stream ls\" lists those there are", what)
		}
		return r.refused(what, err)
	}
	info := r.stream.CachedInfo()
	if r.opts.StateDir == "" {
		r.next = 1
	} else {
		name := fmt.Sprint(ownstream.RedactServers(r.opts.Servers))
		r.position, err = openPosition(r.opts.StateDir, name, r.opts.Stream, r.opts.Consumer, r.opts.Subject, r.so.Tenant, r.so.Session)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		st := &r.position.state
		if st.Version != 0 && !st.Created.Equal(info.Created) {
			r.log.Warn("the JetStream stream was created anew: it is recorded from its beginning", "stream", r.opts.Stream)
			*st = state{Generation: st.Generation}
		}
		r.next, r.opened = st.Last+1, st.Opened
		if st.Version == 0 && r.opts.New {
			r.next = info.State.LastSeq + 1
		}
		st.Created = info.Created
	}
	r.known.last = r.next - 1
	return nil
}

// run reads the stream, with one consumer after another when one fails.
func (r *reading) run(ctx context.Context) error {
	wait := backoff.Backoff{Min: 100 * time.Millisecond, Max: 10 * time.Second}
	failing := false
	for first := true; ; first = false {
		consumer, err := r.consumer(ctx)
		if err == nil {
			if failing {
				r.log.Info("the JetStream stream can be read again", "stream", r.opts.Stream)
			}
			failing = false
			var ended bool
			if ended, err = r.consume(ctx, consumer); ended || err == nil {
				return err
			}
			wait.Reset()
		}
		if ctx.Err() != nil {
			return nil
		}
		if first && !failing && consumer == nil {
			return r.refused("read JetStream stream "+r.opts.Stream, err)
		}
		if errors.Is(err, errAgain) {
			continue
		}
		if !failing {
			failing = true
			r.log.Warn("the JetStream stream cannot be read, trying again until it can", "stream", r.opts.Stream, "error", err)
		}
		if !backoff.Sleep(ctx, wait.Next()) {
			return nil
		}
	}
}

// consumer returns the consumer to read with.
func (r *reading) consumer(ctx context.Context) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeout(ctx, subscribeTimeout)
	defer cancel()
	if r.opts.Consumer == "" {
		r.next = r.known.last + 1
		if err := r.removed(ctx); err != nil {
			return nil, err
		}
		r.order = 0
		return r.stream.CreateConsumer(ctx, r.reader(r.next))
	}
	c, err := r.stream.Consumer(ctx, r.opts.Consumer)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return r.stream.CreateConsumer(ctx, r.durableConsumer())
	}
	if err != nil {
		return nil, err
	}
	cfg := c.CachedInfo().Config
	if cfg.AckPolicy != jetstream.AckExplicitPolicy {
		return nil, fmt.Errorf("consumer %s does not acknowledge explicitly: a recording acknowledges each message once it is stored; name another consumer", r.opts.Consumer)
	}
	if r.opts.Subject != "" && cfg.FilterSubject != r.opts.Subject {
		return nil, fmt.Errorf("consumer %s selects the subject %q and not %q: leave --nats-subject out, or name another consumer", r.opts.Consumer, cfg.FilterSubject, r.opts.Subject)
	}
	return c, nil
}

// reader returns the configuration of a consumer without a name that begins at a message.
func (r *reading) reader(from uint64) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Description: "tapedeck record", FilterSubject: r.opts.Subject, AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true,
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: from, InactiveThreshold: forgotten, Replicas: 1,
	}
}

func (r *reading) durableConsumer() jetstream.ConsumerConfig {
	cfg := jetstream.ConsumerConfig{
		Durable: r.opts.Consumer, Description: "tapedeck record", FilterSubject: r.opts.Subject,
		AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: unacknowledged,
	}
	if r.opts.New {
		cfg.DeliverPolicy = jetstream.DeliverNewPolicy
	}
	return cfg
}

// removed notes messages that were removed before they were read.
func (r *reading) removed(ctx context.Context) error {
	info, err := r.stream.Info(ctx)
	if err != nil {
		return err
	}
	if info.State.FirstSeq <= r.next || r.known.last == 0 {
		return nil
	}
	n := info.State.FirstSeq - r.next
	r.mu.Lock()
	r.result.Removed += n
	r.mu.Unlock()
	r.log.Warn("messages were removed from the JetStream stream before they were recorded", "stream", r.opts.Stream,
		"from", r.next, "to", info.State.FirstSeq-1)
	text := fmt.Sprintf("the messages %d to %d of JetStream stream %s were removed before they were recorded; messages of this subject may be among them",
		r.next, info.State.FirstSeq-1, r.opts.Stream)
	r.known.last = info.State.FirstSeq - 1
	r.next = info.State.FirstSeq
	return r.gap(text)
}

// convert returns a message of the stream.
func (r *reading) convert(m jetstream.Msg, meta *jetstream.MsgMetadata) *message {
	msg := &message{subject: m.Subject(), header: nats.Header(m.Headers()), data: m.Data(), at: meta.Timestamp.UnixNano(), number: meta.Sequence.Stream}
	if r.opts.Consumer != "" {
		msg.ack = func() {
			if err := m.Ack(); err != nil {
				r.log.Debug("a message could not be acknowledged; it is delivered again and not recorded twice", "sequence", msg.number, "error", err)
			}
		}
	}
	return msg
}
