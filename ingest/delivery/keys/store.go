package keys

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
)

// Options configure a Store. The zero value of a field means its default.
type Options struct {
	NATS     *nats.Conn
	Next     ingest.Publisher // receives the blocks for the sink after they were written to their log
	MaxBytes int64            // of all logs; default 1 GiB
	MaxLog   int64            // of one log; default an eighth of MaxBytes
	Replicas int              // default 1
	// Age is how long a key is remembered after its first use; default 48 h.
	Age time.Duration
	Log *slog.Logger
}

func (o *Options) setDefaults() {
	if o.MaxBytes == 0 {
		o.MaxBytes = 1 << 30
	}
	if o.MaxLog == 0 {
		o.MaxLog = o.MaxBytes / 8
	}
	if o.Replicas == 0 {
		o.Replicas = 1
	}
	if o.Age == 0 {
		o.Age = 48 * time.Hour
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Store opens streams under keys. It is safe for use by several goroutines.
type Store struct {
	opts  Options
	js    jetstream.JetStream
	reads chan struct{} // holds one element for each log that is being read

	mu     sync.Mutex        // guards all below
	stream jetstream.Stream  // nil before the first use
	live   map[string]*Claim // the claims of this process, by subject
}

// readers bounds how many logs are read at a time.
const readers = 4

// askTimeout bounds one request to JetStream.
const askTimeout = 10 * time.Second

// New returns a store. The JetStream stream is created at the first use.
func New(opts Options) (*Store, error) {
	opts.setDefaults()
	js, err := jetstream.New(opts.NATS)
	if err != nil {
		return nil, fmt.Errorf("JetStream: %w", err)
	}
	return &Store{opts: opts, js: js, reads: make(chan struct{}, readers), live: map[string]*Claim{}}, nil
}

// ensure creates the JetStream stream or updates its settings, once. A full stream refuses new
// messages: dropping the oldest ones would cause duplicate recordings.
func (s *Store) ensure(ctx context.Context) (jetstream.Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stream != nil {
		return s.stream, nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	stream, err := s.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: StreamName, Description: "tapedeck: what was sent under idempotency keys",
		Subjects: []string{SubjectPrefix + ">"}, Storage: jetstream.FileStorage,
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
		MaxBytes: s.opts.MaxBytes, MaxAge: s.opts.Age, Replicas: s.opts.Replicas,
	})
	if err != nil {
		return nil, fmt.Errorf("create JetStream stream %s: %w", StreamName, err)
	}
	s.stream = stream
	return stream, nil
}

// enterRead waits for a slot to read a log.
func (s *Store) enterRead(ctx context.Context) (leave func(), err error) {
	select {
	case s.reads <- struct{}{}:
		return func() { <-s.reads }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// errConflict reports that another writer has appended to the log.
var errConflict = errors.New("the log was written to meanwhile")

// append writes a message after the one with sequence last.
func (s *Store) append(ctx context.Context, m *nats.Msg, last uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	ack, err := s.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(last))
	var api *jetstream.APIError
	if errors.As(err, &api) {
		switch api.ErrorCode {
		case jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant:
			return 0, errConflict
		case maximumBytesExceeded:
			return 0, fmt.Errorf("stream %s is full of unfinished requests: %w", StreamName, err)
		}
	}
	if errors.Is(err, nats.ErrMaxPayload) {
		return 0, &ingest.TooLargeError{Detail: fmt.Sprintf("block of %d bytes is over the NATS server's max_payload of %d: "+
			"raise max_payload, or lower --max-frame-bytes", len(m.Data), s.opts.NATS.MaxPayload())}
	}
	if err != nil {
		return 0, fmt.Errorf("write to JetStream stream %s: %w", StreamName, err)
	}
	return ack.Sequence, nil
}

// maximumBytesExceeded is JetStream's JSStreamStoreFailedF for a full stream.
const maximumBytesExceeded = 10077

// register records a claim as this process's claim of its key.
func (s *Store) register(c *Claim) {
	s.mu.Lock()
	old := s.live[c.subject]
	s.live[c.subject] = c
	s.mu.Unlock()
	if old != nil {
		old.supersede()
	}
}

// supersede ends this process's claim of a log, if there is one, so that it writes nothing more.
func (s *Store) supersede(subject string) {
	s.mu.Lock()
	old := s.live[subject]
	s.mu.Unlock()
	if old != nil {
		old.supersede()
	}
}

func (s *Store) unregister(c *Claim) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live[c.subject] == c {
		delete(s.live, c.subject)
	}
}
