package change

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// syncTimeout bounds one reading of announcements. A caller reads from ClickHouse instead.
	syncTimeout = 2 * time.Second
	// mostMissed is the number of unread announcements beyond which the log releases everything
	// instead of reading them.
	mostMissed = 512
)

// Log follows the announcements and calls a function for each. It is safe for use by many
// goroutines.
type Log struct {
	nc *nats.Conn
	js jetstream.JetStream
	// changed is called with announced IDs, or with all set if any session may have changed. Calls
	// do not overlap.
	changed func(ids []ID, all bool)
	wake    *nats.Subscription
	ctx     context.Context // ends at Close
	cancel  context.CancelFunc
	running sync.WaitGroup

	read    uint64    // the latest announcement in the log; used by the goroutine that reads
	created time.Time // creation time of the stream in which read is a sequence number

	mu      sync.Mutex // guards the fields below
	reading bool       // a goroutine reads announcements
	next    *reading   // its next round, nil if no caller waits for one
	closed  bool
}

// reading is one round of reading announcements.
type reading struct {
	done chan struct{} // closed when it has ended
	err  error         // valid after done is closed
}

// NewLog returns a log on a connection. The caller closes the log before the connection.
func NewLog(nc *nats.Conn, changed func(ids []ID, all bool)) (*Log, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("JetStream: %w", err)
	}
	l := &Log{nc: nc, js: js, changed: changed}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	// An announcement is read at once, even if no caller waits, so that no erased data stays in
	// memory. A lost wake-up does no harm: Sync does not depend on it.
	if l.wake, err = nc.Subscribe(Subject, func(*nats.Msg) { l.begin() }); err != nil {
		l.cancel()
		return nil, fmt.Errorf("subscribe to %s: %w", Subject, err)
	}
	return l, nil
}

// Close ends the reading of announcements.
func (l *Log) Close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	_ = l.wake.Unsubscribe() // fails only if the connection is closed
	l.running.Wait()
}

var errClosed = errors.New("the log of changed sessions is closed")

// Sync returns once all announcements before the call are in the log. Calls that wait at the same
// time share one round of reading. An error means that this is unknown.
func (l *Log) Sync(ctx context.Context) error {
	r := l.begin()
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// begin returns a round of reading that begins after the call.
func (l *Log) begin() *reading {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		r := &reading{done: make(chan struct{}), err: errClosed}
		close(r.done)
		return r
	}
	if l.next == nil {
		l.next = &reading{done: make(chan struct{})}
	}
	r := l.next
	if !l.reading {
		l.reading = true
		l.running.Go(l.run)
	}
	return r
}

// run reads announcements, round by round, until no round is asked for.
func (l *Log) run() {
	for {
		l.mu.Lock()
		r := l.next
		l.next = nil
		if r == nil {
			l.reading = false
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		r.err = l.advance()
		close(r.done)
	}
}

// advance reads the announcements that are not in the log.
func (l *Log) advance() error {
	ctx, cancel := context.WithTimeout(l.ctx, syncTimeout)
	defer cancel()
	if !l.nc.IsConnected() {
		return errors.New("NATS is not connected")
	}
	s, err := l.js.Stream(ctx, StreamName)
	if err != nil {
		return fmt.Errorf("JetStream stream %s: %w", StreamName, err)
	}
	info := s.CachedInfo()
	state := &info.State
	same := info.Created.Equal(l.created)
	if !same || state.LastSeq < l.read || state.LastSeq-l.read > mostMissed || state.FirstSeq > l.read+1 {
		if same && state.LastSeq == l.read {
			return nil // nothing was announced, and the latest announcement was removed
		}
		l.changed(nil, true)
		l.read, l.created = state.LastSeq, info.Created
		return nil
	}
	for l.read < state.LastSeq {
		m, err := s.GetMsg(ctx, l.read+1)
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound): // removed meanwhile
			l.changed(nil, true)
		case err != nil:
			return fmt.Errorf("read announcement %d of JetStream stream %s: %w", l.read+1, StreamName, err)
		default:
			l.changed(idsOf(m.Data), false)
		}
		l.read++
	}
	return nil
}
