package natstap

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/tap/copier"
	"tapedeck/schema"
)

// tap is one recording. One goroutine calls its methods and the methods of known and sources,
// except where a comment names another.
type tap struct {
	opts      Options
	rec       *ingest.Recorder
	so        ingest.StreamOptions
	log       *slog.Logger
	recordCtx context.Context
	conn      *nats.Conn
	position  *position // nil without JetStream or without a directory

	sources map[key]*source
	order   *list.List // of *source, the most recently used first
	opened  uint64     // number of the next source
	lastAt  time.Time  // when JetStream stored the message with the highest number; zero if that is not known
	scratch []byte

	mu      sync.Mutex // guards the fields below
	known   known
	closing map[*source]struct{} // being ended
	result  Result
	err     error // the first error that ends the recording

	ending    sync.WaitGroup
	slots     chan struct{} // one for each source that is being ended
	connected chan time.Duration
	denied    chan struct{} // receives when the server has refused a request that the user may not send
	downSince atomic.Int64  // ns; 0 while connected
}

// Record records until ctx ends, which is not an error. It returns an error at once if the server
// does not answer or refuses the subscription. Once it has subscribed, it waits for a server that
// does not answer. The result is valid even if there is an error.
func Record(ctx context.Context, rec *ingest.Recorder, so ingest.StreamOptions, opts Options) (Result, error) {
	opts = opts.withDefaults()
	if opts.Subject != "" || opts.Stream == "" {
		if err := CheckSubject(opts.Subject); err != nil {
			return Result{}, fmt.Errorf("record subject %q: %w", opts.Subject, err)
		}
	}
	so.Transport = schema.NATS
	recordCtx, cancel := copier.WithGrace(ctx, copier.CloseTimeout)
	defer cancel()
	t := &tap{
		opts: opts, rec: rec, so: so, log: opts.Log, recordCtx: recordCtx,
		sources: map[key]*source{}, order: list.New(), closing: map[*source]struct{}{},
		slots: make(chan struct{}, 16), connected: make(chan time.Duration, 1), denied: make(chan struct{}, 1),
		known: newKnown(opts.Consumer == ""),
	}
	if err := t.connect(); err != nil {
		return Result{}, err
	}
	defer t.conn.Close()
	var err error
	if opts.Stream != "" {
		err = t.readStream(ctx)
	} else {
		err = t.subscribe(ctx)
	}
	t.ending.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		err = t.err
	}
	return t.result, err
}

// connect opens the connection.
func (t *tap) connect() error {
	servers := jetstream.RedactServers(t.opts.Servers)
	options := append(jetstream.ConnectOptions(t.log), nats.RetryOnFailedConnect(false), nats.Name("tapedeck record"),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil && t.downSince.CompareAndSwap(0, time.Now().UnixNano()) {
				t.log.Warn("nats tap: connection lost, connecting again until it succeeds", "servers", servers, "error", err)
			}
		}),
		nats.ReconnectHandler(func(c *nats.Conn) {
			down := time.Duration(time.Now().UnixNano() - t.downSince.Swap(0))
			t.log.Info("nats tap: reconnected", "url", c.ConnectedUrlRedacted(), "away_for", down.Round(time.Millisecond))
			select {
			case t.connected <- down:
			default: // the previous reconnect was not processed yet
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) {
				select {
				case t.denied <- struct{}{}:
				default: // only the first one counts
				}
			}
			if !errors.Is(err, nats.ErrSlowConsumer) { // counted and logged by the recording
				t.log.Warn("nats tap: error of the connection", "servers", servers, "error", err)
			}
		}))
	var err error
	if t.conn, err = nats.Connect(t.opts.Servers, append(options, t.opts.Connect...)...); errors.Is(err, nats.ErrAuthorization) {
		return fmt.Errorf("the NATS server at %s refuses the user (%w)\nName a file with its credentials with --nats-credentials", servers, err)
	} else if err != nil {
		return fmt.Errorf("no NATS server answers at %s (%w)\nName another one with --nats or TAPEDECK_NATS", servers,
			err)
	}
	return nil
}

// use marks the source of a message as the most recently used one and returns it. If there is none,
// use opens one and sets fresh.
func (t *tap) use(m *message) (s *source, fresh bool, err error) {
	k := key{Subject: m.subject, Session: t.session(m)}
	if s = t.sources[k]; s != nil {
		t.order.MoveToFront(s.element)
		s.used = time.Now()
		return s, false, nil
	}
	s, err = t.open(k, nil)
	return s, true, err
}

// evict ends the least recently used sources beyond the limit, and sources that were idle for too
// long.
func (t *tap) evict() {
	for t.order.Len() > 0 {
		s := t.order.Back().Value.(*source)
		full := t.order.Len() > t.opts.Streams
		if !full && time.Since(s.used) < t.opts.Idle {
			return
		}
		if full {
			t.evicted()
		}
		t.end(s, true)
	}
}

// evicted counts a source that is ended to open another.
func (t *tap) evicted() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.result.Evicted == 0 {
		t.log.Warn("nats tap: more subjects have messages than may be open: the least recently used are ended, "+
			"and later messages of them are streams of their own",
			"open_subjects", t.opts.Streams)
	}
	t.result.Evicted++
}

// end ends a source in the background. Unless last is set, the stream may be resumed.
func (t *tap) end(s *source, last bool) {
	if t.sources[s.key] == s {
		delete(t.sources, s.key)
	}
	t.order.Remove(s.element)
	s.element = nil
	t.mu.Lock()
	t.closing[s] = struct{}{}
	t.mu.Unlock()
	t.slots <- struct{}{}
	t.ending.Go(func() {
		defer func() { <-t.slots }()
		ctx, cancel := context.WithTimeout(t.recordCtx, copier.CloseTimeout)
		defer cancel()
		finish := s.stream.Interrupt
		if last {
			finish = s.stream.Close
		}
		sum, err := finish(ctx, schema.EndClosed)
		if err == nil {
			s.settle(s.assigned)
		}
		t.finished(s, &sum, err, last)
	})
}

// finished adds the result of a source that has ended.
func (t *tap) finished(s *source, sum *ingest.Summary, err error, last bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case ingest.IsDeleted(err):
		t.result.Deleted += s.count
	case err != nil && t.err == nil:
		t.err = fmt.Errorf("end the recording of subject %s: %w", s.shown.Subject, err)
	}
	if err == nil && last {
		delete(t.closing, s)
	}
	if err == nil && s.stream.ID() == t.result.Last {
		t.result.LastSession = sum.LastSession
	}
	t.result.Frames += sum.Frames
	t.result.Bytes += sum.Bytes
	for _, session := range sum.Sessions {
		if len(t.result.Sessions) < ingest.SessionLimit && !slices.Contains(t.result.Sessions, session) {
			t.result.Sessions = append(t.result.Sessions, session)
		}
	}
}

// endAll ends all sources and waits for them.
func (t *tap) endAll(last bool) {
	for t.order.Len() > 0 {
		t.end(t.order.Front().Value.(*source), last)
	}
	t.ending.Wait()
}

// gap notes in every open stream that messages may be missing.
func (t *tap) gap(text string) error {
	for e := t.order.Front(); e != nil; {
		s := e.Value.(*source)
		e = e.Next()
		if t.opts.Stream != "" {
			t.mu.Lock()
			s.assign(pending{frames: 1, note: text})
			t.mu.Unlock()
			if err := t.position.note(s, text); err != nil {
				return err
			}
		}
		if err := t.failed(s, s.note(text, ingest.Now())); err != nil {
			return err
		}
	}
	return nil
}

// failure returns the error that ends the recording.
func (t *tap) failure() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// failed handles an error of recording to a source. The deletion of a session ends only the source.
func (t *tap) failed(s *source, err error) error {
	if err == nil {
		return nil
	}
	if !ingest.IsDeleted(err) {
		return fmt.Errorf("record subject %s: %w", s.shown.Subject, err)
	}
	t.log.Warn("nats tap: a session was deleted, its messages are not recorded", "subject", s.shown.Subject, "session", s.shown.Session)
	if s.element != nil {
		t.end(s, true)
	}
	s.settle(s.assigned)
	return nil
}
