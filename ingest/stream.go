package ingest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/schema"
)

// Stream records one stream: it numbers frames, decodes them, settles their
// sessions and cuts blocks. It is safe for use by several goroutines, as the
// two directions of a connection need.
type Stream struct {
	recorder *Recorder
	opts     StreamOptions
	id       string
	opened   int64 // when this process began with it, ns
	acks     frontier

	mu      sync.Mutex // guards all below
	seq     uint64
	lastAt  int64
	frameAt int64  // with FrameClock: the latest time that a frame told
	scratch []byte // joined SSE data
	decoder decoderOf
	book    *dialect.Book
	hold    *hold // nil once dialect and session are settled
	parts   parts
	parcels uint64
	timer   *time.Timer // cuts blocks by age; armed while something waits
	armed   bool
	closed  bool
	err     error // the first failure to hand on a block; it stands
	summary Summary
}

// ErrClosed is returned by a stream that was closed.
var ErrClosed = errors.New("stream is closed")

func newStream(r *Recorder, opts StreamOptions) (*Stream, error) {
	s := &Stream{recorder: r, opts: opts, opened: Now()}
	if opts.Resume != nil {
		s.id, s.seq = opts.Resume.StreamID, opts.Resume.NextSeq
	} else {
		s.id = schema.NewStreamID()
	}
	if _, err := schema.StreamStarted(s.id); err != nil {
		return nil, fmt.Errorf("resume stream: %w", err)
	}
	s.book = dialect.NewBook(s.id)
	s.parts.init(r.settings.Parts)
	s.acks.init(s.seq, opts.Durable)
	s.summary.StreamID = s.id
	if opts.Dialect != "" {
		d, err := dialects.ByName(opts.Dialect)
		if err != nil {
			return nil, err
		}
		s.settleDialect(d, "named by the user")
	}
	s.hold = newHold(s)
	if s.hold.done() {
		s.hold = nil
	}
	return s, nil
}

// ID is the stream's id.
func (s *Stream) ID() string { return s.id }

// Record takes one frame. Its Seq is set here; its At is raised to that of the
// frame before it should it be lower. All of the frame is copied. Record waits
// while the publisher pushes back, and fails once a block could not be handed
// on, with the reason.
func (s *Stream) Record(ctx context.Context, f *schema.Frame) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	f.Seq = s.seq
	f.At = max(f.At, s.lastAt)
	s.seq++
	s.lastAt = f.At
	s.summary.Frames++
	s.summary.Bytes += uint64(len(f.Raw))
	if s.hold != nil {
		return s.holdBack(ctx, f)
	}
	s.decode(f)
	return s.keep(ctx, f, s.book.TakeLost())
}

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
	s.decoder = decoderOf{Decoder: d.New(s.id), time: d.Time, name: d.Name, evidence: evidence}
	s.summary.Dialect, s.summary.Evidence = d.Name, evidence
}

// keep puts a decoded frame into the part of its session. lost is the number
// of frames that are missing before it.
func (s *Stream) keep(ctx context.Context, f *schema.Frame, lost uint64) error {
	p, left := s.parts.of(s.sessionOf(f.Session))
	if left != nil {
		if err := s.leave(ctx, left); err != nil {
			return err
		}
	}
	if p.fresh() {
		s.begin(p, f)
	}
	p.add(f, lost)
	if f.Flags != 0 || lost != 0 {
		count(&s.summary.Counters, f.Flags, lost)
	}
	if p.builder.Frames() >= s.recorder.settings.BlockFrames || p.builder.Size() >= s.recorder.settings.BlockBytes {
		return s.cut(ctx, p)
	}
	s.arm(s.recorder.settings.BlockAge)
	return nil
}

// sessionOf settles where what names the given session belongs.
func (s *Stream) sessionOf(named string) string {
	if s.opts.Session != "" {
		return s.opts.Session
	}
	return s.parts.resolve(named, s.id)
}

// begin fills in the state of a session's new part.
func (s *Stream) begin(p *part, f *schema.Frame) {
	p.state = schema.StreamState{
		StreamID: s.id, FirstSeq: f.Seq, Transport: s.opts.Transport, Source: s.opts.Source, Tags: s.opts.Tags,
		Dialect: s.decoder.name, Evidence: s.decoder.evidence, FirstAt: f.At,
	}
	s.summary.SessionCount++
	if len(s.summary.Sessions) < SessionLimit {
		s.summary.Sessions = append(s.summary.Sessions, p.session)
	}
}

// arm has the timer cut what waits in at most d.
func (s *Stream) arm(d time.Duration) {
	if s.armed || s.closed {
		return
	}
	s.armed = true
	if s.timer == nil {
		s.timer = time.AfterFunc(d, s.tick)
		return
	}
	s.timer.Reset(d)
}

func (s *Stream) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = false
	if s.usable() != nil {
		return
	}
	ctx, cancel := background()
	defer cancel()
	if s.hold != nil {
		if !s.hold.expired() {
			s.arm(s.recorder.settings.BlockAge)
			return
		}
		s.fail(s.release(ctx))
	}
	s.fail(s.cutAll(ctx, false))
}

// fail keeps the first failure: the source learns of it at its next call.
func (s *Stream) fail(err error) {
	if err != nil && s.err == nil {
		s.err = err
	}
}

// Flush hands on all that was recorded so far and waits until it is durable.
func (s *Stream) Flush(ctx context.Context) error {
	if err := s.push(ctx); err != nil {
		return err
	}
	return s.acks.wait(ctx)
}

func (s *Stream) push(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	if s.hold != nil {
		if err := s.release(ctx); err != nil {
			return err
		}
	}
	return s.cutAll(ctx, false)
}

// Close ends the stream: open facts are settled, everything is handed on, and
// Close waits until it is durable. reason is "eof", "closed" or "error: …".
// The summary is valid also if there is an error.
func (s *Stream) Close(ctx context.Context, reason string) (Summary, error) {
	err := s.finish(ctx, reason)
	if err == nil {
		err = s.acks.wait(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.summary, err
}

func (s *Stream) finish(ctx context.Context, reason string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	defer func() {
		s.closed = true
		if s.timer != nil {
			s.timer.Stop()
		}
	}()
	if s.hold != nil {
		if err := s.release(ctx); err != nil {
			return err
		}
	}
	at := max(Now(), s.lastAt)
	if s.opts.FrameClock {
		at = s.frameAt
	}
	s.decoder.End(at, s.book)
	for p := range s.parts.all() {
		p.state.Ended, p.state.EndReason = at, reason
	}
	return s.cutAll(ctx, true)
}
