package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/budget"
	"tapedeck/replay"
	"tapedeck/schema/lifecycle/tombstone"
)

// Options configures a library. Zero values select the defaults.
type Options struct {
	NATS *nats.Conn
	// Locate returns the JetStream stream of a session's blocks, and their subjects: first the
	// subject of single blocks, then the subjects of bundles that may contain one. It is called
	// often. A session moves to another stream when the number of partitions changes; then all
	// earlier blocks are stored, and the numbers of later blocks are above theirs.
	Locate func(ctx context.Context, tenant, session string) (stream string, subjects []string, err error)
	// Sink is the durable consumer that acknowledges a block once it is stored.
	Sink    string
	Stored  replay.Library // the stored sessions
	Deleted *tombstone.Set // tombstones of deleted sessions; nil for none
	Budget  *budget.Budget // charged for the blocks that tails keep; nil for none
	// Grace and GraceHTTP are how long to wait for more streams after all have ended; defaults 3 s,
	// and 30 s if some streams are HTTP exchanges.
	Grace, GraceHTTP time.Duration
	// Silence is how long an open stream may be silent before its session counts as over, unless
	// its recorder is alive; default 1 h.
	Silence time.Duration
	// Recorders reports which recorders are lost; nil if that is unknown.
	Recorders Recorders
	// Timeout is how long a block waits for a missing block of its stream
	// before it: longer than a tap needs to detect the loss; 15 s.
	Timeout time.Duration
	// TailBytes is the approximate size of a session's latest blocks that are kept for its readers;
	// default 8 MiB.
	TailBytes int
	// TailAge is the maximum age of a kept block relative to the latest block; default 1 min. It is
	// longer than a block takes to reach the store.
	TailAge time.Duration
	Log     *slog.Logger // default slog.Default()
}

// Library provides tapes of running sessions. It is a replay.Library. Its tapes are replay.Growing,
// except the tapes of sessions that ended long ago, which come from Options.Stored.
type Library struct {
	opts Options
	js   jetstream.JetStream

	mu     sync.Mutex // guards the fields below
	tails  map[session]*tail
	closed bool
}

// idle is how long a tail is kept after its last reader has closed.
const idle = 5 * time.Second

// errClosed reports that the library was closed.
var errClosed = errors.New("live: the library is closed")

// New returns a library. The caller closes the connection.
func New(opts Options) (*Library, error) {
	opts.Grace = cmp.Or(opts.Grace, 3*time.Second)
	opts.GraceHTTP = cmp.Or(opts.GraceHTTP, 30*time.Second)
	opts.Silence = cmp.Or(opts.Silence, time.Hour)
	opts.Timeout = cmp.Or(opts.Timeout, 15*time.Second)
	opts.TailBytes = cmp.Or(opts.TailBytes, 8<<20)
	opts.TailAge = cmp.Or(opts.TailAge, time.Minute)
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	if opts.NATS == nil {
		return nil, errors.New("live: there is no connection to NATS")
	}
	js, err := jetstream.New(opts.NATS)
	if err != nil {
		return nil, fmt.Errorf("JetStream: %w", err)
	}
	return &Library{opts: opts, js: js, tails: map[session]*tail{}}, nil
}

// Close ends the consumers. All readers must be closed.
func (l *Library) Close() {
	l.mu.Lock()
	l.closed = true
	var all []*tail
	for _, t := range l.tails {
		all = append(all, t)
	}
	clear(l.tails)
	l.mu.Unlock()
	for _, t := range all {
		t.end()
	}
}

// Tape implements replay.Library. It finds a session as soon as JetStream has the session's first
// block.
func (l *Library) Tape(ctx context.Context, tenant, id string) (replay.Tape, error) {
	t := &tape{library: l, session: &session{tenant, id}}
	if err := l.readDeleted(ctx, t.session); err != nil {
		return nil, fmt.Errorf("follow session %q: %w", id, err)
	}
	lookCtx, cancel := context.WithTimeoutCause(ctx, openTimeout,
		fmt.Errorf("JetStream did not return the session's blocks within %s", openTimeout))
	defer cancel()
	view, err := t.takeSnapshot(lookCtx, nil)
	if err != nil {
		return nil, fmt.Errorf("follow session %q: %w", id, err)
	}
	if !t.known() {
		return nil, fmt.Errorf("session %q: %w", id, replay.ErrNoSession)
	}
	// A session that ended recently is still followed, so that a resumed playback continues at its
	// block.
	if view.stored != nil && t.over(time.Now().Add(-l.opts.Silence)) && len(view.chains) == 0 {
		return view.stored, nil
	}
	t.begin(view)
	return t, nil
}

// openTimeout bounds opening a tape.
const openTimeout = 20 * time.Second

// acquire returns the tail of a session. A new tail begins at the block from. The caller must
// release the tail.
func (l *Library) acquire(s *session, from uint64) (*tail, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errClosed
	}
	t := l.tails[*s]
	if t == nil {
		t = newTail(l, s, from)
		l.tails[*s] = t
	}
	t.readers++
	t.several.Store(t.readers > 1)
	return t, nil
}

// release releases a tail. The tail ends when it has had no reader for the time idle.
func (l *Library) release(t *tail) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.readers--
	t.several.Store(t.readers > 1)
	if t.readers > 0 || l.closed {
		return
	}
	t.left++
	turn := t.left
	time.AfterFunc(idle, func() {
		l.mu.Lock()
		unused := t.readers == 0 && t.left == turn && l.tails[*t.session] == t
		if unused {
			delete(l.tails, *t.session)
		}
		l.mu.Unlock()
		if unused {
			t.end()
		}
	})
}

// floor returns the sequence number up to which all blocks of a session's stream are stored. Before
// a sink consumes the stream, these are the blocks that JetStream does not have any more.
func (l *Library) floor(ctx context.Context, s *session) (uint64, error) {
	name, _, err := l.locate(ctx, s)
	if err != nil {
		return 0, err
	}
	c, err := ask(ctx, func(ctx context.Context) (jetstream.Consumer, error) { return l.js.Consumer(ctx, name, l.opts.Sink) })
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		first, err := l.first(ctx, s)
		return max(first, 1) - 1, err
	}
	if err != nil {
		return 0, fmt.Errorf("read the sink's ack floor: %w", err)
	}
	return c.CachedInfo().AckFloor.Stream, nil
}

// first returns the number of the first block of a session's stream that JetStream may still have.
func (l *Library) first(ctx context.Context, s *session) (uint64, error) {
	str, _, err := l.stream(ctx, s)
	if err != nil {
		return 0, err
	}
	return str.CachedInfo().State.FirstSeq, nil
}
