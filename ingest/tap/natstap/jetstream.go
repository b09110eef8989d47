package natstap

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	ownstream "tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/backoff"
)

const (
	// batchMessages bounds the messages that are recorded between two writes of the log.
	batchMessages = 256
	// pullMessages and pullBytes bound what the server sends ahead. A larger message is sent alone,
	// up to mostPullBytes.
	pullMessages  = 1024
	pullBytes     = 16 << 20
	mostPullBytes = 1 << 30
	// unacknowledged bounds the messages in flight of a consumer that the recording creates.
	unacknowledged = 20_000
	// forgotten is the time after which the server removes an unread consumer without a name.
	forgotten = 5 * time.Minute
)

// reading is the recording of a JetStream stream.
type reading struct {
	*tap
	js     jetstream.JetStream
	stream jetstream.Stream
	next   uint64 // the first number to read; without a named consumer
	order  uint64 // number of the consumer's last delivery; without a named consumer
	ticks  *time.Ticker

	created   time.Time // when the stream was created
	all       bool      // all messages of the stream are read, so that a gap in their numbers is a loss
	pullBytes int
}

// readStream records a JetStream stream until ctx ends.
func (t *tap) readStream(ctx context.Context) error {
	if strings.HasPrefix(t.opts.Stream, ownstream.StreamName) {
		return fmt.Errorf("record stream %s: it holds the recordings of a tapedeck server, so this would record its own recording", t.opts.Stream)
	}
	r := &reading{tap: t, ticks: time.NewTicker(tick), pullBytes: max(pullBytes, int(t.conn.MaxPayload())+pullHead)}
	defer r.ticks.Stop()
	if err := r.open(ctx); err != nil {
		return err
	}
	defer t.position.close()
	if err := r.resume(ctx); err != nil {
		t.endAll(false) // the saved position is unchanged
		return err
	}
	t.log.Info("nats tap: JetStream stream is being recorded", "stream", t.opts.Stream, "subject", t.opts.Subject, "consumer", t.opts.Consumer, "from", r.next)
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
	go func() { // the server does not answer a request that the user may not send
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
	r.created, r.next = info.Created, 1
	r.all = r.opts.Subject == "" || len(info.Config.Subjects) == 1 && info.Config.Subjects[0] == r.opts.Subject
	fresh := true
	if r.opts.StateDir != "" {
		name := fmt.Sprint(ownstream.RedactServers(r.opts.Servers))
		r.position, err = openPosition(r.opts.StateDir, name, r.opts.Stream, r.opts.Consumer, r.opts.Subject,
			r.so.Tenant, r.so.Session)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		st := &r.position.state
		if st.Version != 0 && !st.Created.Equal(info.Created) {
			r.log.Warn("nats tap: the JetStream stream was created anew, it is recorded from its beginning", "stream", r.opts.Stream)
			*st = state{Generation: st.Generation}
		}
		fresh = st.Version == 0
		r.next, r.opened, r.lastAt = st.Last+1, st.Opened, st.LastAt
		st.Created = info.Created
	}
	if fresh && r.opts.New {
		r.next = info.State.LastSeq + 1
	}
	r.known.last = r.next - 1
	return nil
}

// run reads the stream. It creates another consumer when one fails.
func (r *reading) run(ctx context.Context) error {
	wait := backoff.Backoff{Min: 100 * time.Millisecond, Max: 10 * time.Second}
	failing := false
	for first := true; ; first = false {
		consumer, err := r.consumer(ctx)
		if err == nil {
			if failing {
				r.log.Info("nats tap: the JetStream stream can be read again", "stream", r.opts.Stream)
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
		if fatal := r.failure(); fatal != nil {
			return fatal
		}
		if first && !failing && consumer == nil {
			return r.refused("read JetStream stream "+r.opts.Stream, err)
		}
		if errors.Is(err, errAgain) {
			continue
		}
		if !failing {
			failing = true
			r.log.Warn("nats tap: the JetStream stream cannot be read, trying again until it can", "stream", r.opts.Stream, "error", err)
		}
		if !backoff.Sleep(ctx, wait.Next()) {
			return nil
		}
	}
}

// consumer returns the consumer that reads the stream.
func (r *reading) consumer(ctx context.Context) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeout(ctx, subscribeTimeout)
	defer cancel()
	if err := r.same(ctx); err != nil {
		return nil, err
	}
	if r.opts.Consumer == "" {
		r.next = r.known.last + 1
		if err := r.removed(); err != nil {
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
		return nil, fmt.Errorf("consumer %s does not acknowledge explicitly: a recording acknowledges each "+
			"message once it is stored; name another consumer", r.opts.Consumer)
	}
	if r.opts.Subject != "" && cfg.FilterSubject != r.opts.Subject {
		return nil, fmt.Errorf("consumer %s selects the subject %q and not %q: leave --nats-subject out, or "+
			"name another consumer", r.opts.Consumer, cfg.FilterSubject, r.opts.Subject)
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
	if r.opts.New && r.known.floor == 0 && r.next > 1 { // nothing has been acknowledged yet
		r.mu.Lock()
		r.known.floor = r.next - 1
		r.mu.Unlock()
	}
	if r.known.floor > 0 {
		cfg.DeliverPolicy, cfg.OptStartSeq = jetstream.DeliverByStartSequencePolicy, r.known.floor+1
	}
	return cfg
}

// convert converts a message of the stream.
func (r *reading) convert(m jetstream.Msg, meta *jetstream.MsgMetadata) *message {
	msg := &message{subject: m.Subject(), header: nats.Header(m.Headers()), data: m.Data(),
		at: meta.Timestamp.UnixNano(), number: meta.Sequence.Stream}
	if r.opts.Consumer != "" {
		msg.ack = func() {
			if err := m.Ack(); err != nil {
				r.log.Debug("nats tap: a message could not be acknowledged; it is delivered again and not recorded twice", "seq", msg.number, "error", err)
			}
		}
	}
	return msg
}
