package websocket

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"tapedeck/ingest"
	"tapedeck/schema"
)

// served is one connection of a Handler.
type served struct {
	handler  *Handler
	stream   *ingest.Stream
	heard    *listener
	conn     *websocket.Conn
	acks     acks
	recorded atomic.Int64 // the highest seq that was recorded, -1 for none
	leaving  atomic.Bool
	failing  chan struct{} // closed once failure is set

	mu      sync.Mutex // guards failure
	failure error      // why recording ended before the connection did
}

// errPatience is a publisher that pushed back for too long.
var errPatience = errors.New("the recorder is overloaded")

func newServed(h *Handler) *served {
	s := &served{handler: h, failing: make(chan struct{})}
	s.recorded.Store(-1)
	s.acks.init()
	s.heard = &listener{cutter: NewCutter(h.opts.FrameLimit, nil)}
	return s
}

// run records the connection to its end. ctx ending means to shut down.
func (s *served) run(ctx context.Context) {
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	patience := time.AfterFunc(s.handler.opts.Patience, func() {
		s.fail(errPatience)
		cancel()
	})
	patience.Stop()
	defer patience.Stop()
	s.heard.record = func(f *schema.Frame) error {
		if err := s.failed(); err != nil {
			return err // the client was told that this frame is not recorded
		}
		patience.Reset(s.handler.opts.Patience)
		defer patience.Stop()
		err := s.stream.Record(running, f)
		if err == nil {
			s.recorded.Store(int64(f.Seq))
		}
		return err
	}
	s.heard.failed = s.fail

	ended := make(chan struct{})
	var beside sync.WaitGroup
	beside.Go(func() { s.acks.tell(s.conn, ended) })
	beside.Go(func() { s.watch(ended) })
	beside.Go(func() { s.obey(ctx, ended) })
	err := s.drain(context.WithoutCancel(ctx))
	reason := s.reason(s.heard.end(), err)
	if _, err := s.close(ctx, reason); err != nil {
		s.handler.opts.Log.Warn("stream not recorded to its end", "stream", s.stream.ID(), "ended", reason, "error", err)
	}
	close(ended)
	beside.Wait()
	_ = s.conn.CloseNow() // it is closed, or gone
}

// fail ends recording, the connection with it. The first reason stands.
func (s *served) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		s.failure = err
		close(s.failing)
	}
}

func (s *served) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

// obey ends the connection before its time, if there is a reason to.
func (s *served) obey(ctx context.Context, ended <-chan struct{}) {
	select {
	case <-ctx.Done():
		s.leave(ctx)
	case <-s.failing:
		s.refuse(s.failed())
	case <-ended:
	}
}

// watch looks after a client that sent its last frame and waits for its
// acknowledgement: should the frame be given up, no further frame tells so.
func (s *served) watch(ended <-chan struct{}) {
	ticker := time.NewTicker(s.handler.opts.Patience)
	defer ticker.Stop()
	before := int64(-1)
	for {
		select {
		case <-ticker.C:
		case <-ended:
			return
		}
		if s.acks.next.Load() < before {
			ctx, cancel := context.WithTimeoutCause(context.Background(), s.handler.opts.Patience, errPatience)
			if err := s.stream.Flush(ctx); err != nil {
				s.fail(err)
			}
			cancel()
		}
		before = s.recorded.Load()
	}
}

// drain has the library read, answer pings and see to the end, while the
// listener records.
func (s *served) drain(ctx context.Context) error {
	for {
		_, message, err := s.conn.Reader(ctx)
		if err == nil {
			_, err = io.Copy(io.Discard, message)
		}
		if err != nil {
			return err
		}
	}
}

// leave ends the connection because the server shuts down: no frame is taken
// any more, and those that were are made durable and acknowledged.
func (s *served) leave(ctx context.Context) {
	s.leaving.Store(true)
	s.heard.drop()
	flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if err := s.stream.Flush(flush); err == nil {
		s.acks.next.Store(s.recorded.Load())
		s.acks.send(s.conn)
	}
	_ = s.conn.Close(websocket.StatusGoingAway, "the server is shutting down")
}

// refuse tells the client that its frames cannot be taken, and closes.
func (s *served) refuse(why error) {
	pushedBack.Inc()
	durable := s.acks.next.Load()
	text, err := json.Marshal(struct {
		Error   string `json:"error"`
		Durable int64  `json:"durable"`
	}{why.Error() + "; connect again later and send again what comes after the durable frames", durable})
	if err == nil {
		err = s.acks.write(s.conn, text)
	}
	if err != nil {
		s.handler.opts.Log.Info("client was not told that its frames are not recorded", "stream", s.stream.ID(), "error", err)
	}
	_ = s.conn.Close(websocket.StatusTryAgainLater, "frames cannot be recorded now")
}

// reason is the stream's end reason.
func (s *served) reason(cut, readErr error) string {
	code, reason, closed := s.heard.cutter.Closed()
	switch {
	case s.failed() != nil:
		return recordingFailed
	case s.leaving.Load():
		return "error: the server was shut down"
	case closed:
		return EndReason(code, reason)
	case cut != nil:
		return "error: the connection was cut: " + root(cut).Error()
	default: // the client broke the protocol
		return "error: " + root(readErr).Error()
	}
}
