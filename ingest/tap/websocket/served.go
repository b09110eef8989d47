package websocket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/keys"
	"tapedeck/ingest/tap/copier"
	"tapedeck/internal/problem"
	"tapedeck/internal/quota"
	"tapedeck/internal/rootcause"
	"tapedeck/schema"
)

// served is one connection of a Handler. One goroutine reads and records it; while the connection
// is idle there is no other goroutine, and no timer.
type served struct {
	handler     *Handler
	stream      *ingest.Stream
	keyed       *keyed // nil without an idempotency key
	listener    *listener
	conn        *websocket.Conn
	acks        acks
	recorded    atomic.Int64 // highest seq that was recorded, -1 for none
	leaving     atomic.Bool
	recordTimer *time.Timer // runs while a frame is being recorded
	mustReturn  *time.Timer // runs after recordTimer has ended the wait for a frame
	flush       flushTimer
	endWait     context.CancelCauseFunc // ends a wait for memory for a large message

	mu      sync.Mutex     // guards all below
	failure error          // why recording ended before the connection did
	ending  bool           // the connection is being ended, or has ended
	enders  sync.WaitGroup // goroutines that end the connection; none is added after the connection has ended
}

// errTimeout reports backpressure from the publisher for longer than the timeout.
var errTimeout = errors.New("the recorder is overloaded")

// returnTimeout is how long the recording of a frame may continue after its context has ended.
const returnTimeout = time.Second

// errLeaving ends a wait for memory because the server shuts down.
var errLeaving = errors.New("the server is shutting down")

// errNotAllowed ends a connection whose client may not record any more.
var errNotAllowed = errors.New("the client may not record any more: its token was revoked or expired")

func newServed(h *Handler) *served {
	s := &served{handler: h}
	s.recorded.Store(-1)
	s.acks.next.Store(-1)
	framer := NewFramer(h.opts.FrameLimit, nil)
	framer.Masked = true
	charged := copier.NewCharged(framer, h.opts.FrameLimit, h.opts.Writers)
	charged.Follows = framer.follows
	charged.Context, s.endWait = context.WithCancelCause(context.Background())
	s.listener = &listener{framer: framer, charged: charged, failed: s.fail, panicked: s.panicked}
	return s
}

// serve records the connection to its end.
func (s *served) serve() {
	connections.Inc()
	defer connections.Dec()
	defer s.handler.conns.leave(s)
	defer func() {
		if cause := recover(); cause != nil {
			s.panicked(cause)
		}
		_ = s.conn.CloseNow() // it may be closed already
	}()
	running, cancel := context.WithCancel(context.Background())
	defer cancel()
	limit := s.handler.opts.Timeout
	s.mustReturn = time.AfterFunc(returnTimeout, func() { s.fail(errTimeout) })
	s.mustReturn.Stop()
	defer s.mustReturn.Stop()
	s.recordTimer = time.AfterFunc(limit, func() {
		cancel() // so that a waiting call returns the reason
		s.mustReturn.Reset(returnTimeout)
	})
	s.recordTimer.Stop()
	defer s.recordTimer.Stop()
	s.flush.init(s)
	defer s.flush.stop()
	s.listener.record = func(f *schema.Frame) error {
		if err := s.failed(); err != nil {
			return err // the client has been notified that this frame is not recorded
		}
		if known, err := s.keyed.known(f); known || err != nil {
			return err
		}
		s.recordTimer.Reset(limit)
		defer s.recordTimer.Stop()
		err := s.stream.Record(running, f)
		if err != nil && running.Err() != nil {
			err = errors.Join(errTimeout, err)
		}
		if err == nil {
			s.recorded.Store(int64(f.Seq))
			s.flush.begin()
		}
		return err
	}
	s.keyed.begin(s)
	err := s.drain()
	s.finish(err)
}

// finish makes the recorded frames durable, and ends the stream. err is what ended the
// connection.
func (s *served) finish(err error) {
	if s.keyed != nil {
		s.listener.stop() // the client repeats an incomplete message
	}
	reason := s.reason(s.listener.end(), err)
	if err := s.close(reason); err != nil {
		level := slog.LevelWarn
		if errors.Is(err, keys.ErrSuperseded) { // the newer connection with the key continues the stream
			level = slog.LevelDebug
		}
		s.handler.opts.Log.Log(context.Background(), level, "websocket: stream not recorded to its end", "stream", s.stream.ID(), "ended", reason, "error", err)
	}
	s.mu.Lock()
	s.ending = true
	s.mu.Unlock()
	s.enders.Wait()
}

// close makes the recorded frames durable and ends the stream.
func (s *served) close(reason string) error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if s.keyed != nil {
		return s.keyed.close(ctx, s.stream, reason)
	}
	_, err := s.stream.Close(ctx, reason)
	return err
}

func (s *served) panicked(cause any) {
	s.handler.opts.Log.Error("websocket: recording panicked", "stream", s.stream.ID(), "error", cause, "stack", string(debug.Stack()))
}

// fail ends the recording and the connection. Only the first error counts.
func (s *served) fail(err error) {
	s.mu.Lock()
	first := s.failure == nil
	if first {
		s.failure = err
	}
	s.mu.Unlock()
	s.endWait(err)
	if first {
		s.endEarly(func() { s.refuse(err) })
	}
}

func (s *served) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

// endEarly runs end in a goroutine to end the connection early, unless the connection is being
// ended. It does not wait for end.
func (s *served) endEarly(end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ending {
		s.ending = true
		s.enders.Go(end)
	}
}

// drain reads messages until the connection ends, while the listener records them. The
// library answers pings.
func (s *served) drain() error {
	for {
		_, message, err := s.conn.Reader(context.Background())
		if err == nil {
			_, err = io.Copy(io.Discard, message)
		}
		if err != nil {
			return err
		}
	}
}

// leave ends the connection because the server shuts down: it stops recording, and makes
// recorded frames durable and acknowledges them.
func (s *served) leave() {
	s.leaving.Store(true)
	s.endWait(errLeaving)
	s.listener.stop()
	flush, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if err := s.stream.Flush(flush); err == nil {
		s.acks.next.Store(s.recorded.Load())
		s.acks.send()
	}
	_ = s.conn.Close(websocket.StatusGoingAway, "the server is shutting down")
}

// refuse notifies the client that its frames cannot be recorded, and closes the connection.
func (s *served) refuse(why error) {
	if errors.Is(why, errUnmasked) {
		violations.Inc()
		_ = s.conn.Close(websocket.StatusProtocolError, errUnmasked.Error()) // best effort: the connection ends anyway
		return
	}
	busyClosed.Inc()
	durable := s.acks.next.Load()
	code, close, advice := websocket.StatusTryAgainLater, "frames cannot be recorded now",
		"; connect again later and send again what comes after the durable frames"
	if errors.Is(why, errNotAllowed) {
		code, close, advice = websocket.StatusPolicyViolation, "the token was revoked or expired", ""
	}
	if ingest.IsDeleted(why) {
		code, close, advice, durable = websocket.StatusPolicyViolation, "the session was deleted", "", 0
	}
	if _, large := errors.AsType[*ingest.TooLargeError](why); large {
		code, close, advice = websocket.StatusMessageTooBig, "a message is larger than what the server stores", ""
	}
	if errors.Is(why, keys.ErrMismatch) || errors.Is(why, keys.ErrSuperseded) {
		code, close, advice = websocket.StatusPolicyViolation, "the idempotency key is not usable", ""
	}
	said := refusal{Error: strings.ReplaceAll(why.Error(), "\n", ": ") + advice, Durable: durable}
	if held, ok := errors.AsType[*quota.RateError](why); ok {
		p := held.Refuse()
		said.Limit, said.RetryAfter = p.Limit, int(math.Ceil(p.RetryAfter.Seconds()))
		close = fmt.Sprintf("the rate of --%s is reached; connect again in %d s", said.Limit, said.RetryAfter)
	}
	if full, ok := errors.AsType[*problem.Problem](why); ok {
		said.Limit, said.RetryAfter = full.Limit, int(math.Ceil(full.RetryAfter.Seconds()))
		close = fmt.Sprintf("there is no memory (--%s) for a large message; connect again in %d s", said.Limit, said.RetryAfter)
	}
	text, err := json.Marshal(said)
	if err == nil {
		err = s.acks.write(text)
	}
	if err != nil {
		s.handler.opts.Log.Info("websocket: client could not be notified that its frames are not recorded", "stream", s.stream.ID(), "error", err)
	}
	_ = s.conn.Close(code, close)
}

// refusal is the last message to a client whose frames cannot be recorded.
type refusal struct {
	Error      string `json:"error"`
	Durable    int64  `json:"durable"`
	Limit      string `json:"limit,omitempty"` // the limit that held the frames back
	RetryAfter int    `json:"retry_after_s,omitempty"`
}

// reason returns the stream's end reason.
func (s *served) reason(cut, readErr error) string {
	code, reason, closed := s.listener.framer.Closed()
	failure := s.failed()
	switch {
	case errors.Is(failure, errUnmasked):
		return "error: " + errUnmasked.Error()
	case errors.Is(failure, errNotAllowed):
		return "error: " + errNotAllowed.Error()
	case failure != nil && !errors.Is(failure, errLeaving):
		return recordingFailed
	case s.leaving.Load():
		return "error: the server was shut down"
	case closed:
		return EndReason(code, reason)
	case cut != nil:
		return "error: the connection was cut: " + rootcause.Of(cut).Error()
	default: // the client broke the protocol
		return "error: " + rootcause.Of(readErr).Error()
	}
}
