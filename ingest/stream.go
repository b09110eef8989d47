package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"time"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/schema"
)

// Stream records one stream: it numbers frames, decodes them, settles their
// sessions and cuts blocks. It is safe for use by several goroutines, as the
// two directions of a connection need.
type Stream struct {
	recorder  *Recorder
	publisher Publisher
	opts      StreamOptions
	id        string
	opened    int64 // when this process began with it, ns
	acks      ackTracker

	gate   chan struct{} // a mutex of one token that guards all below
	seq    uint64
	known  uint64 // frames below are known already: see Resume.Again
	lastAt int64
	taken  uint64 // frames below were held back or decoded; those from here on wait ahead

	// With FrameClock:

	clock      frameClock
	ahead      []heldFrame // the latest frames, by which the time of the one before is judged
	aheadBytes int
	aheadSince time.Time // when the last of them came

	scratch  []byte // joined SSE data
	input    dialect.Input
	decoder  decoderOf
	emitter  *dialect.Emitter
	answered bool  // the frame decoded last ended an answer: nothing more is due
	hold     *hold // nil once dialect and session are settled, or waited for long enough
	late     *late // nil unless the dialect is still looked for after the hold
	parts    parts
	parcels  uint64
	partings []parting     // parts whose end no block has told, the earliest first
	queue    []queued      // blocks that were cut and not taken by the publisher so far
	timer    *time.Timer   // cuts blocks by age; armed while something waits
	armed    time.Duration // what it was armed with; 0 while it is not
	putOffAt uint64        // the next frame's seq when an open message was last put off
	quiet    bool          // while tick cuts: no frame came since then
	digest   hash.Hash     // nil unless StreamOptions.Digest
	closed   bool
	err      error // the first failure to hand on a block; it stands
	summary  Summary
}

// ErrClosed is returned by a stream that was closed.
var ErrClosed = errors.New("stream is closed")

func newStream(r *Recorder, opts StreamOptions) (*Stream, error) {
	s := &Stream{recorder: r, publisher: r.publisher, opts: opts, opened: Now(), gate: make(chan struct{}, 1)}
	if opts.Publisher != nil {
		s.publisher = opts.Publisher
	}
	if opts.Resume != nil {
		s.id, s.seq = opts.Resume.StreamID, opts.Resume.NextSeq
		if opts.Resume.Again {
			s.seq, s.known = 0, opts.Resume.NextSeq
		}
	} else {
		s.id = schema.NewStreamID()
	}
	if _, err := schema.StreamStarted(s.id); err != nil {
		return nil, fmt.Errorf("resume stream: %w", err)
	}
	if opts.Digest && s.seq == 0 { // a resumed stream does not see all of its bytes
		s.digest = sha256.New()
	}
	s.emitter = dialect.NewEmitter(s.id)
	s.parts.init(r.settings.Parts)
	s.taken = s.seq
	s.acks.init(max(s.seq, s.known), opts.Durable)
	s.summary.StreamID = s.id
	name, evidence := opts.Dialect, "named by the user"
	if opts.Resume != nil {
		s.parts.session = opts.Resume.Session
		if name == "" {
			name, evidence = opts.Resume.Dialect, "as before the tap was restarted"
		}
	}
	if name != "" {
		d, err := dialects.ByName(name)
		if err != nil {
			return nil, err
		}
		s.settleDialect(d, evidence)
	}
	s.hold = newHold(s)
	if s.hold.done() {
		s.hold = nil
	}
	return s, nil
}

// ID is the stream's id.
func (s *Stream) ID() string { return s.id }

// Settled tells what the stream has settled so far, for a later Resume.
func (s *Stream) Settled() Settled {
	s.gate <- struct{}{}
	defer s.leaveGate()
	settled := Settled{Session: s.parts.session, Dialect: s.decoder.name}
	if s.late != nil {
		settled.Dialect = "" // it is read as generic for the time being
	}
	return settled
}

// enter takes the gate. While somebody else waits in there for a publisher that
// pushes back, enter waits no longer than ctx stands.
func (s *Stream) enter(ctx context.Context) error {
	select {
	case s.gate <- struct{}{}:
		return nil
	default:
	}
	select {
	case s.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Stream) leaveGate() { <-s.gate }

// Record takes one frame. Its Seq is set here; its At is raised to that of the
// frame before it should it be lower. All of the frame is copied.
//
// Record waits while the publisher pushes back. If ctx ends meanwhile, the frame
// was not taken, all before it are kept, and Record may be called again. Any
// other error is the stream's end: a block could not be handed on.
func (s *Stream) Record(ctx context.Context, f *schema.Frame) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leaveGate()
	if err := s.usable(); err != nil {
		return err
	}
	if err := s.drain(ctx); err != nil {
		return err
	}
	f.Seq = s.seq
	f.At = max(f.At, s.lastAt)
	s.seq++
	s.lastAt = f.At
	if s.digest != nil {
		_, _ = s.digest.Write(f.Raw) // it never fails
	}
	if s.counts(f.Seq) {
		s.summary.Frames++
		s.summary.Bytes += uint64(len(f.Raw))
	}
	if s.opts.FrameClock {
		s.lookAhead(f)
	} else {
		s.take(f)
	}
	return s.offer(ctx)
}

// take holds a frame back or decodes it.
func (s *Stream) take(f *schema.Frame) {
	s.taken = f.Seq + 1
	if s.hold != nil {
		s.holdBack(f)
		return
	}
	if s.late != nil {
		s.recogniseLate(f)
	}
	s.decode(f)
	s.keep(f, s.emitter.TakeLost())
}

// usable gives the error that ended the stream.
func (s *Stream) usable() error {
	if s.closed {
		return ErrClosed
	}
	if s.err == nil {
		s.err = s.acks.failure()
	}
	return s.err
}

// settleDialect begins to decode.
func (s *Stream) settleDialect(d dialect.Dialect, evidence string) {
	decoder := d.New(s.id)
	text, _ := decoder.(dialect.TextReader)
	s.decoder = decoderOf{Decoder: decoder, text: text, time: d.Time, answered: d.Answered, name: d.Name, evidence: evidence}
	s.summary.Dialect, s.summary.Evidence = d.Name, evidence
}

// keep puts a decoded frame into the part of its session. lost is the number
// of frames that are missing before it.
func (s *Stream) keep(f *schema.Frame, lost uint64) {
	session := s.sessionOf(f.Session)
	p := s.parts.of(session)
	if p == nil {
		p = s.begin(session, f.Seq, f.At)
	}
	if s.opts.FrameClock { // times stay in order in this session too, if the clock used another
		f.At = max(f.At, p.state.LastAt)
	}
	if f.Seq < s.known {
		s.recall(p, f, lost)
	} else {
		p.add(f, lost)
	}
	if s.parts.tooMany() { // after the frame was added: it waits, and no block that goes out makes it durable
		s.collect(false)      // the facts of the one that has to go
		s.parts.of(p.session) // the one in use stays, whichever have facts
		s.makeRoom()
	}
	if s.counts(f.Seq) && (f.Flags != 0 || lost != 0) {
		count(&s.summary.Counters, f.Flags, lost)
	}
	if f.Seq < s.known {
		return
	}
	if p.builder == nil {
		return // facts of sessions that were left needed its room: it went with the frame
	}
	if p.builder.Frames() >= s.recorder.settings.BlockFrames || p.builder.Size() >= s.recorder.settings.BlockBytes {
		s.cut(p)
		return
	}
	s.arm(s.recorder.settings.BlockAge)
}

// sessionOf settles where what names the given session belongs.
func (s *Stream) sessionOf(named string) string {
	if s.opts.Session != "" {
		return s.opts.Session
	}
	return s.parts.resolve(named, s.id)
}

// begin opens a session's new part.
func (s *Stream) begin(session string, seq uint64, at int64) *part {
	p := s.parts.open(session, schema.StreamState{
		StreamID: s.id, FirstSeq: seq, Transport: s.opts.Transport, Source: s.opts.Source, Tags: s.opts.Tags,
		Dialect: s.decoder.name, Evidence: s.decoder.evidence, FirstAt: at, LastAt: at,
		Recorder: s.recorder.settings.ID, Key: s.opts.Key,
	})
	if s.opts.Resume != nil {
		p.attempt = s.opts.Resume.Attempt
	}
	s.summary.SessionCount++
	s.summary.LastSession = p.session
	if len(s.summary.Sessions) < SessionLimit {
		s.summary.Sessions = append(s.summary.Sessions, p.session)
	}
	return p
}

// arm has the timer cut what waits in at most d.
func (s *Stream) arm(d time.Duration) {
	if s.closed || s.armed != 0 && s.armed <= d {
		return
	}
	s.armed = d // sooner than before, if it was: new frames do not wait for a message that was put off
	if s.timer == nil {
		s.timer = time.AfterFunc(d, s.tick)
		return
	}
	s.timer.Reset(d)
}

// tick cuts what has waited long enough. It does not wait for a publisher that
// pushes back: what was cut stays in the queue, and tick comes again.
func (s *Stream) tick() {
	s.gate <- struct{}{}
	defer s.leaveGate()
	s.armed = 0
	if s.usable() != nil {
		return
	}
	if s.recalling() {
		s.arm(s.recorder.settings.BlockAge)
		return
	}
	if len(s.ahead) > 0 && time.Since(s.aheadSince) >= s.recorder.settings.HoldFor {
		s.releaseAhead()
	} else if len(s.ahead) > 0 {
		s.arm(s.recorder.settings.BlockAge)
	}
	if s.hold != nil {
		if !s.hold.expired() {
			s.arm(s.recorder.settings.BlockAge)
			return
		}
		s.release(false)
	}
	heldUp := len(s.queue) > 0
	if !heldUp {
		s.quiet = s.putOffAt == s.seq
		s.cutAll(false)
		s.quiet = false
	}
	ctx, cancel := context.WithTimeout(context.Background(), tickPatience)
	defer cancel()
	if err := s.offer(ctx); err == nil && (heldUp || len(s.queue) > 0) {
		s.arm(tickPause)
	}
}

const (
	tickPatience = 20 * time.Millisecond
	tickPause    = 50 * time.Millisecond
)

// Flush hands on all that was recorded so far and waits until it is durable.
func (s *Stream) Flush(ctx context.Context) error {
	if err := s.push(ctx); err != nil {
		return err
	}
	return s.acks.wait(ctx)
}

func (s *Stream) push(ctx context.Context) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leaveGate()
	if err := s.usable(); err != nil {
		return err
	}
	s.releaseAhead()
	s.release(false)
	s.cutAll(false)
	return s.drain(ctx)
}

// Close ends the stream: open facts are settled, everything is handed on, and
// Close waits until it is durable. reason is schema.EndEOF, EndClosed or
// "error: …"; schema.EndClientGone becomes EndClosed if the protocol's last event had
// been received.
// The summary is valid also if there is an error, but for one whose ctx ended
// while another goroutine was held up in Record: it names the stream alone. If
// ctx ended, Close may be called again to wait on.
func (s *Stream) Close(ctx context.Context, reason string) (Summary, error) {
	return s.close(ctx, reason, true)
}

// Interrupt is Close for a stream that may be resumed: its end is published, and
// open facts stay open, since a later attempt continues them.
func (s *Stream) Interrupt(ctx context.Context, reason string) (Summary, error) {
	return s.close(ctx, reason, false)
}

func (s *Stream) close(ctx context.Context, reason string, settle bool) (Summary, error) {
	err := s.finish(ctx, reason, settle)
	if err == nil {
		err = s.acks.wait(ctx)
	}
	if enterErr := s.enter(ctx); enterErr != nil {
		return Summary{StreamID: s.id}, errors.Join(err, enterErr)
	}
	defer s.leaveGate()
	return s.summary, err
}

func (s *Stream) finish(ctx context.Context, reason string, settle bool) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leaveGate()
	if s.closed {
		return s.drain(ctx)
	}
	if err := s.usable(); err != nil {
		return err
	}
	s.releaseAhead()
	s.release(true)
	at := max(Now(), s.lastAt)
	if s.opts.FrameClock {
		at = s.clock.end
	}
	if settle {
		s.decoder.End(at, s.emitter)
	}
	if reason == schema.EndClientGone && s.answered {
		reason = schema.EndClosed
	}
	if s.digest != nil && reason == "eof" && s.summary.Frames > 0 {
		s.summary.Digest = hex.EncodeToString(s.digest.Sum(nil))
	}
	for p := range s.parts.all() {
		p.state.Ended, p.state.EndReason, p.state.Digest = at, reason, s.summary.Digest
		if s.opts.FrameClock {
			p.state.Ended = p.state.LastAt
		}
	}
	s.cutAll(true)
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	return s.drain(ctx)
}
