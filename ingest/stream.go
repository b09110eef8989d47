package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"time"

	"tapedeck/ingest/dialect/dialects"
	"tapedeck/ingest/redact"
	"tapedeck/schema"
)

// Stream records one stream: it numbers frames and passes them through its stages, which the
// package comment shows. It is safe for use by several goroutines, which the two directions of a
// connection require.
type Stream struct {
	settings *Settings
	opts     StreamOptions
	id       string

	lock      chan struct{} // a mutex as a channel with one token; guards all below
	position  position
	mask      mask
	lookahead lookahead
	detector  detector
	decoder   decoder
	segments  segmenter
	blocks    blocker
	sender    sender // its ackTracker has a lock of its own
	wake      wakeup
	digest    hash.Hash // nil without StreamOptions.Digest
	closed    bool
	summary   Summary
}

// ErrClosed is returned by a closed stream.
var ErrClosed = errors.New("stream is closed")

// newStream returns a stream whose blocks go to publisher, unless opts names another one, and whose
// secrets are found by engine. state names the recorder and the decoder's version. newStream does
// not copy settings.
func newStream(
	publisher Publisher, settings *Settings, engine *redact.Engine, state schema.StreamState, opts StreamOptions,
) (*Stream, error) {
	s := &Stream{settings: settings, opts: opts, lock: make(chan struct{}, 1)}
	var before Settled
	first := uint64(0) // seq of the first frame that is not durable
	if opts.Resume != nil {
		s.id, before, first = opts.Resume.StreamID, opts.Resume.Settled, opts.Resume.NextSeq
		if !opts.Resume.Again {
			s.position.next, s.position.taken = first, first
		}
	} else {
		s.id = schema.NewStreamID()
	}
	if _, err := schema.StreamStarted(s.id); err != nil {
		return nil, fmt.Errorf("resume stream: %w", err)
	}
	if opts.Digest && s.position.next == 0 { // a resumed stream does not see all of its bytes
		s.digest = sha256.New()
	}
	s.summary.StreamID = s.id
	masker, err := newMasker(engine, settings, &s.opts)
	if err != nil {
		return nil, err
	}
	s.wake.fire = s.tick
	s.connect(publisher, masker, state, first, before.Session)
	name, evidence := opts.Dialect, cmp.Or(opts.Evidence, NamedByUser)
	if name == "" {
		name, evidence = before.Dialect, "as before the tap was restarted"
	}
	if name != "" {
		d, err := dialects.ByName(name)
		if err != nil {
			return nil, err
		}
		s.decoder.use(d)
		s.segments.setDialect(d.Name, evidence)
	}
	s.detector.start(opts.Session != "" || before.Session != "")
	return s, nil
}

// NamedByUser is the evidence of a dialect that the user named.
const NamedByUser = "named by the user"

// connect creates the stages, the last one first. state has the initial fields of the states of all
// segments, and session is the session of frames that name none.
func (s *Stream) connect(
	publisher Publisher, masker *redact.Masker, state schema.StreamState, first uint64, session string,
) {
	opts, set := &s.opts, s.settings
	state.StreamID, state.Transport, state.Source = s.id, opts.Transport, opts.Source
	state.Tags, state.Key = opts.Tags, opts.Key
	s.sender = sender{publisher: publisher, stream: s.id}
	if opts.Publisher != nil {
		s.sender.publisher = opts.Publisher
	}
	s.sender.acks.init(first, opts.Durable)
	s.sender.acks.skipDeleted = opts.Session == ""
	s.blocks = blocker{
		settings: set, position: &s.position, sender: &s.sender,
		tenant: opts.Tenant, stream: s.id, opened: Now(), next: first,
	}
	s.decoder = newDecoder(s.id, set.JSONDepth)
	s.segments = segmenter{
		opts: opts, settings: set, position: &s.position, emitter: s.decoder.emitter,
		blocks: &s.blocks, wake: &s.wake, summary: &s.summary,
		segments: newSegments(set.Segments), reread: newReread(opts, set), session: session,
		template: state,
	}
	var clock *frameClock
	if opts.FrameClock {
		clock = &frameClock{
			decoder: &s.decoder, oneSession: opts.Session != "", ifTimed: opts.IfTimed, summary: &s.summary, reread: &s.segments.reread,
		}
	}
	s.segments.clock = clock
	s.detector = detector{settings: set, clock: clock, decoder: &s.decoder, next: &s.segments, wake: &s.wake, passed: opts.Passed}
	s.lookahead = lookahead{
		clock: clock, settings: set, position: &s.position, reread: &s.segments.reread,
		summary: &s.summary, next: &s.detector, wake: &s.wake,
	}
	s.mask = mask{masker: masker, pass: s.lookahead.push, wake: &s.wake, summary: &s.summary}
}

// ID returns the stream's id.
func (s *Stream) ID() string { return s.id }

// Settled returns what the stream has settled so far, for a later Resume.
func (s *Stream) Settled() Settled {
	s.lock <- struct{}{}
	defer s.unlock()
	settled := Settled{Session: s.segments.session, Dialect: s.decoder.dialect.Name}
	if s.detector.state == provisional {
		settled.Dialect = ""
	}
	return settled
}

// SessionCount returns Summary.SessionCount so far.
func (s *Stream) SessionCount() int {
	s.lock <- struct{}{}
	defer s.unlock()
	return s.summary.SessionCount
}

// UnusedTimes returns Summary.Misdated and Summary.CopiedTimes so far.
func (s *Stream) UnusedTimes() (misdated, copied uint64) {
	s.lock <- struct{}{}
	defer s.unlock()
	return s.summary.Misdated, s.summary.CopiedTimes
}

// enter takes the lock. While another goroutine holds it because of backpressure, enter
// waits no longer than until ctx ends.
func (s *Stream) enter(ctx context.Context) error {
	select {
	case s.lock <- struct{}{}:
		return nil
	default:
	}
	select {
	case s.lock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Stream) unlock() { <-s.lock }

// enterOpen takes the lock of an open stream. It returns an error, without the lock, if the stream
// was closed or has failed.
func (s *Stream) enterOpen(ctx context.Context) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	if err := s.failure(); err != nil {
		s.unlock()
		return err
	}
	return nil
}

// failure returns the error that ended the stream.
func (s *Stream) failure() error {
	if s.closed {
		return ErrClosed
	}
	return s.sender.failure()
}

// Record records one frame. It sets Seq, and raises At to the At of the previous frame if it is
// lower. It copies the whole frame.
//
// Record waits while the publisher exerts backpressure. If ctx ends meanwhile, the frame was not
// recorded, all frames before it are kept, and Record may be called again. Any other error ends the
// stream: a block could not be delivered.
func (s *Stream) Record(ctx context.Context, f *schema.Frame) error {
	if err := s.enterOpen(ctx); err != nil {
		return err
	}
	defer s.unlock()
	if err := s.sender.drain(ctx); err != nil {
		return err
	}
	f.Seq = s.position.next
	f.At = max(f.At, s.position.at)
	s.position.next++
	s.position.at = f.At
	if s.digest != nil {
		_, _ = s.digest.Write(f.Raw) // a hash does not return errors
	}
	if s.mask.masker != nil && s.segments.reread.masked(f.Seq) {
		s.mask.masker.Resume(f.Raw)
	}
	s.mask.push(f)
	_ = s.sender.drain(ctx) // blocks that the publisher does not accept yet wait in the queue
	return s.sender.err
}

// tick cuts what has waited long enough. It hardly waits for a publisher that exerts backpressure:
// cut blocks stay in the queue, and tick is called again.
func (s *Stream) tick() {
	s.lock <- struct{}{}
	defer s.unlock()
	s.wake.fired()
	if s.failure() != nil {
		return
	}
	s.mask.tick()
	if s.segments.rereading() {
		s.wake.within(s.settings.BlockAge)
		return
	}
	s.lookahead.tick()
	if s.detector.state == sniffing {
		if !s.detector.expired() {
			s.wake.within(s.settings.BlockAge)
			return
		}
		s.detector.release(false)
	}
	backlog := len(s.sender.queue) > 0
	if !backlog {
		s.segments.cutWaiting(s.segments.quiet())
	}
	ctx, cancel := context.WithTimeout(context.Background(), tickTimeout)
	defer cancel()
	_ = s.sender.drain(ctx)
	if s.sender.err == nil && (backlog || len(s.sender.queue) > 0) {
		s.wake.within(tickPause)
	}
}

const (
	tickTimeout = 20 * time.Millisecond
	tickPause   = 50 * time.Millisecond
)

// Flush publishes all recorded frames and waits until they are durable.
func (s *Stream) Flush(ctx context.Context) error {
	err := s.drain(ctx, func() {
		s.mask.release()
		s.lookahead.release()
		s.detector.release(false)
		s.segments.cutWaiting(false)
	})
	if err != nil {
		return err
	}
	return s.sender.acks.wait(ctx)
}

// Reopen is called after all frames that were published before a restart were recorded again. It
// publishes the state of each segment, which revokes an end that an earlier attempt published.
func (s *Stream) Reopen(ctx context.Context) error {
	return s.drain(ctx, func() {
		s.detector.release(false)
		s.segments.cutAll(false)
	})
}

// drain calls cut to cut blocks and publishes them.
func (s *Stream) drain(ctx context.Context, cut func()) error {
	if err := s.enterOpen(ctx); err != nil {
		return err
	}
	defer s.unlock()
	cut()
	return s.sender.drain(ctx)
}

// Close ends the stream: it closes open facts, publishes everything, and waits until it is durable.
// reason is schema.EndEOF, EndClosed or "error: …"; schema.EndClientGone becomes EndClosed if the
// protocol's last event was received. The summary is valid even if there is an error, except if ctx
// ended while another goroutine waited in Record: then it only names the stream. If ctx ended,
// Close may be called again to continue waiting.
func (s *Stream) Close(ctx context.Context, reason string) (Summary, error) {
	return s.close(ctx, reason, true)
}

// Interrupt is like Close for a stream that may be resumed: it publishes the end, but open facts
// stay open, since a later attempt continues them.
func (s *Stream) Interrupt(ctx context.Context, reason string) (Summary, error) {
	return s.close(ctx, reason, false)
}

func (s *Stream) close(ctx context.Context, reason string, settle bool) (Summary, error) {
	err := s.finish(ctx, reason, settle)
	if err == nil {
		err = s.sender.acks.wait(ctx)
	}
	if enterErr := s.enter(ctx); enterErr != nil {
		return Summary{StreamID: s.id}, errors.Join(err, enterErr)
	}
	defer s.unlock()
	return s.summary, err
}

// finish ends all stages, the first one first. If it is called again, it publishes what remains.
func (s *Stream) finish(ctx context.Context, reason string, settle bool) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.unlock()
	if s.closed {
		return s.sender.drain(ctx)
	}
	if err := s.failure(); err != nil {
		return err
	}
	reason = s.mask.text(reason) // the reason may contain text of the peer
	s.mask.end(settle)
	s.lookahead.release()
	s.detector.release(true)
	at := max(Now(), s.position.at)
	if clock := s.lookahead.clock; clock.on() {
		at = clock.end
	}
	if settle {
		s.decoder.end(at)
	}
	if reason == schema.EndClientGone && s.decoder.answered {
		reason = schema.EndClosed
	}
	if s.digest != nil && reason == schema.EndEOF && s.summary.Frames > 0 {
		s.summary.Digest = hex.EncodeToString(s.digest.Sum(nil))
	}
	s.segments.end(at, reason, s.summary.Digest)
	s.closed = true
	s.wake.end()
	return s.sender.drain(ctx)
}
