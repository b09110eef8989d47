package replayhttp

import (
	"context"
	"errors"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/coder/websocket"

	"tapedeck/internal/origin"
	"tapedeck/internal/problem"
	"tapedeck/internal/slow"
	"tapedeck/replay"
	"tapedeck/replay/player"
	"tapedeck/schema"
)

// socket writes a playback to a WebSocket. It is a player.StateSink.
type socket struct {
	conn     *websocket.Conn
	gatherer *gatherer // below conn
	raw      bool
	verbatim bool       // messages are sent as recorded, so nothing may be added
	cues     *cueWriter // for mode=cue, else nil
	events   *events
	payloads payloads
	timeout  time.Duration
	guard    *time.Timer // closes the connection when a write takes too long
	sent     int
	stuck    chan struct{} // closed when a write took too long
}

func newSocket(conn *websocket.Conn, g *gatherer, timeout time.Duration) *socket {
	s := &socket{conn: conn, gatherer: g, timeout: timeout, stuck: make(chan struct{})}
	// The guard is a timer, since a context with a deadline for every message is expensive.
	s.guard = time.AfterFunc(time.Hour, sync.OnceFunc(func() {
		close(s.stuck)
		_ = conn.CloseNow() // makes the blocked write fail
	}))
	s.guard.Stop()
	return s
}

// Play implements player.Sink.
func (s *socket) Play(f *replay.Frame, _, _ int) error {
	if s.cues != nil {
		return s.cues.play(f)
	}
	s.gatherer.gather()
	if !s.raw {
		_, message := s.events.encode(f)
		return s.write(websocket.MessageText, message)
	}
	data, text, ok := s.payloads.message(f)
	switch {
	case !ok:
		return nil
	case text:
		return s.write(websocket.MessageText, data)
	}
	return s.write(websocket.MessageBinary, data)
}

// Flush implements player.Sink.
func (s *socket) Flush() error {
	if s.cues != nil {
		return s.cues.flush()
	}
	return s.guarded(s.gatherer.flush)
}

// write sends a message. It is called from the player's goroutine, and after
// the player has ended.
func (s *socket) write(kind websocket.MessageType, message []byte) error {
	if s.cues != nil {
		return s.cues.sendAfterCue(message)
	}
	return s.put(kind, message)
}

// put sends a message. Only one goroutine at a time may call it.
func (s *socket) put(kind websocket.MessageType, message []byte) error {
	err := s.guarded(func() error { return s.conn.Write(context.Background(), kind, message) })
	if err == nil {
		s.sent += len(message)
	}
	return err
}

// guarded calls write, and closes the connection if write takes too long.
func (s *socket) guarded(write func() error) error {
	s.guard.Reset(s.timeout)
	err := write()
	s.guard.Stop()
	if err == nil {
		return nil
	}
	select {
	case <-s.stuck:
		err = os.ErrDeadlineExceeded
	default:
	}
	return &errClient{err}
}

// StateChanged implements player.StateSink. In a verbatim playback it sends only the states in
// which frames have stopped, which the client cannot detect otherwise.
func (s *socket) StateChanged(op player.Op, st player.State) error {
	if s.verbatim && op != player.SetMark && op != player.End {
		return nil
	}
	return s.write(websocket.MessageText, appendState(nil, op, st))
}

// answer sends the result of a control.
func (s *socket) answer(op player.Op, st player.State, err error) error {
	if err == nil {
		return s.write(websocket.MessageText, appendState(nil, op, st))
	}
	p := problem.BadParameter("", err.Error())
	if _, ok := errors.AsType[*player.MarkError](err); ok {
		p = problem.BadParameter("to", err.Error(), player.MarkAllowed...)
	}
	return s.write(websocket.MessageText, appendError(nil, p))
}

// listen passes the client's controls to the player until the connection is closed. Only one
// goroutine reads from the connection. Reads do not use ctx, since the end of ctx would close the
// connection without a close frame.
func (s *socket) listen(ctx context.Context, p *player.Player) error {
	for {
		kind, text, err := s.conn.Read(context.WithoutCancel(ctx))
		if err != nil {
			return &errClient{err}
		}
		c, err := parseCommand(text)
		if kind != websocket.MessageText {
			err = problem.BadParameter("", "controls are text messages")
		}
		if err != nil {
			wrong, _ := problem.From(err)
			// The player may be writing a message; the connection serializes writes.
			writeCtx, cancel := context.WithTimeout(ctx, s.timeout)
			err = s.conn.Write(writeCtx, websocket.MessageText, appendError(nil, wrong))
			cancel()
			if err != nil {
				return &errClient{err}
			}
			continue
		}
		err = p.Control(ctx, c, func(st player.State, err error) error { return s.answer(c.Op, st, err) })
		if err != nil && !errors.Is(err, player.ErrEnded) {
			return &errClient{err}
		}
	}
}

// ping sends pings at intervals, and calls fail if the client does not answer.
func (s *socket) ping(ctx context.Context, every time.Duration, fail func(error)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		pingCtx, cancel := context.WithTimeout(ctx, s.timeout)
		err := s.conn.Ping(pingCtx)
		cancel()
		if err != nil {
			if pingCtx.Err() == context.DeadlineExceeded {
				err = os.ErrDeadlineExceeded
			}
			fail(&errClient{err})
			return
		}
	}
}

// serveWebSocket plays over a WebSocket and applies the client's controls.
func (s *Server) serveWebSocket(
	w http.ResponseWriter, r *http.Request, session string, t replay.Tape, req *request, opts player.Options,
) {
	if bad := (origin.Rule{Also: s.opts.Origins, Local: true}).Check(r, "open this WebSocket"); bad != nil {
		s.refuse(w, r, session, bad)
		return
	}
	hijacked := &gathering{ResponseWriter: w}
	conn, err := websocket.Accept(hijacked, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // the Origin was checked
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil { // Accept has answered the request
		s.metrics.ended(outcomeRefused)
		return
	}
	out := newSocket(conn, hijacked.conn, s.opts.WriteTimeout.Or(slow.WriteTimeout))
	out.raw, out.events = req.raw, newEvents(session, replay.FirstAt(t))
	out.verbatim = req.raw && recordedOver(t, schema.WebSocket)
	if req.cue {
		out.cues = newCueWriter(out, replay.FirstAt(t))
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	playback := player.New(t, out, opts)
	var others sync.WaitGroup
	defer func() {
		cancel(nil)
		_ = conn.CloseNow() // the connection may be closed already
		others.Wait()
	}()
	others.Go(func() { cancel(out.listen(ctx, playback)) })
	others.Go(func() { out.ping(ctx, s.opts.Heartbeat, cancel) })

	sum, err := playback.Run(ctx)
	if flushed := out.guarded(hijacked.conn.flush); err == nil { // a playback that fails leaves frames gathered
		err = flushed
	}
	err = withClientGone(ctx, err)
	if err == nil && !out.verbatim { // otherwise the close code reports the end
		err = out.write(websocket.MessageText, appendEnd(nil, sum))
	}
	out.cues.stop()
	outcome := outcomeOf(err)
	s.metrics.ended(outcome)
	s.metrics.frames.WithLabelValues(schema.WebSocket.String()).Add(float64(sum.Frames))
	s.metrics.bytes.Add(float64(out.sent))
	switch {
	case outcome == outcomeEnded:
		_ = conn.Close(websocket.StatusNormalClosure, "end")
	case outcome == outcomeFailed || outcome == outcomeSlow:
		p, id := s.problemOf(err, session), out.events.reached(sum)
		if out.verbatim || out.write(websocket.MessageText, appendBroken(nil, p, id)) == nil {
			_ = conn.Close(closing(outcome, p.Status, id))
		}
	case r.Context().Err() != nil:
		_ = conn.Close(websocket.StatusGoingAway, "the server is stopping")
	}
}

// closing returns the close code and the reason for a playback that broke off.
func closing(outcome string, status int, id string) (websocket.StatusCode, string) {
	if status == http.StatusGone {
		return websocket.StatusPolicyViolation, "the session was deleted"
	}
	if outcome == outcomeFailed {
		return websocket.StatusInternalError, "the recording could not be read"
	}
	return websocket.StatusPolicyViolation, "too slow; resume after " + id // at most 123 bytes
}
