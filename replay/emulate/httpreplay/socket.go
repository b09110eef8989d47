package httpreplay

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/coder/websocket"

	"tapedeck/replay"
	"tapedeck/replay/emulate"
	"tapedeck/schema"
)

// serveUpgrade answers a request for a WebSocket: with the recorded messages, or, if the server
// refused the upgrade, with the recorded refusal.
func (s *Server) serveUpgrade(w http.ResponseWriter, r *http.Request, t replay.Tape, c choice) {
	head, err := headOf(r.Context(), t, c.exchange)
	if err != nil {
		s.stage.Refuse(w, r, server, err)
		return
	}
	if status, _ := statusLine(head); status != http.StatusSwitchingProtocols {
		s.serveBody(w, r, t, c)
		return
	}
	recorded, err := fields(head, true)
	if err != nil {
		s.stage.Refuse(w, r, server, err)
		return
	}
	s.serveSocket(w, r, t, c, recorded)
}

// headOf returns the head of the recorded answer, nil if there is none. It skips heads of 1xx
// answers other than 101.
func headOf(ctx context.Context, t replay.Tape, x *exchange) (head []byte, err error) {
	part := &emulate.Excerpt{
		Tape: t, First: x.first, Last: x.last, Directions: []schema.Direction{schema.Receive},
		Keep: func(f *replay.Frame) bool { return f.Stream.StreamID == x.stream.StreamID },
	}
	err = emulate.Scan(ctx, part, replay.Query{Bare: true, Few: true}, func(f *replay.Frame) error {
		status, ok := statusLine(f.Raw)
		switch {
		case !isHead(&f.Frame):
			return emulate.ErrEnough // the body has begun
		case ok && (status >= 200 || status == http.StatusSwitchingProtocols):
			head = bytes.Clone(f.Raw)
			return emulate.ErrEnough
		}
		return nil
	})
	return head, err
}

// serveSocket plays a recorded WebSocket. recorded are the header fields of its handshake. Each
// message of the server waits until the client has sent as many messages as in the recording; its
// delay counts from the previous message of either side. The subprotocol is the recorded one if the
// client offers it, otherwise none. The connection is closed as the recorded server closed it, and
// breaks off if the recorded connection broke off.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request, t replay.Tape, c choice, recorded http.Header) {
	x, pacing := c.exchange, c.pacing
	var protocols []string
	if chosen := recorded.Get("Sec-Websocket-Protocol"); chosen != "" {
		protocols = []string{chosen}
	}
	carry(w.Header(), recorded)
	for name := range w.Header() {
		if strings.HasPrefix(name, "Sec-Websocket-") {
			w.Header().Del(name)
		}
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // Origin was checked
		Subprotocols:       protocols, CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil { // Accept has answered the request
		s.stage.Count(server, "refused")
		return
	}
	conn.SetReadLimit(bodyLimit)
	ctx, cancel := context.WithCancel(r.Context())
	out := &socket{stage: s.stage, conn: conn, ctx: ctx, more: make(chan struct{}, 1),
		code: websocket.StatusNormalClosure}
	var reading sync.WaitGroup
	defer func() {
		cancel()
		_ = conn.CloseNow() // the connection may be closed already
		reading.Wait()
	}()
	reading.Go(func() {
		defer cancel()
		for {
			if _, _, err := conn.Read(context.WithoutCancel(ctx)); err != nil {
				return
			}
			out.countMessage()
		}
	})
	err = s.playTurns(ctx, t, x, out, pacing, c.from)
	broken := !out.closed && !x.stream.Complete()
	if err == nil && broken {
		err = s.stage.Pause(ctx, x.stream.LastAt, x.stream.Ended, pacing)
	}
	switch {
	case err == nil && broken:
		s.stage.Count(server, "ended") // without a close frame
	case err == nil:
		s.stage.Count(server, "ended")
		_ = conn.Close(out.code, out.reason)
	case ctx.Err() != nil:
		s.stage.Count(server, "left")
	default:
		s.stage.Count(server, "failed")
		s.stage.Log().Error("emulate: playing a WebSocket failed", "error", err)
		_ = conn.Close(websocket.StatusInternalError, "the recording could not be played")
	}
}

// playTurns plays from one client message to the next, up to the server's close frame. The clock of
// each turn starts when the client's message has arrived, so that the client's own delays do not
// count.
func (s *Server) playTurns(
	ctx context.Context, t replay.Tape, x *exchange, out *socket, pacing emulate.Pacing, from replay.Place,
) error {
	part := &emulate.Excerpt{
		Tape: t, First: x.first, Directions: []schema.Direction{schema.Receive},
		Keep: func(f *replay.Frame) bool {
			return f.Stream.StreamID == x.stream.StreamID && !from.Before(f.Position())
		},
	}
	clock := x.asked
	for i := 0; ; i++ {
		part.Last = x.last
		if i < len(x.turns) {
			part.Last = x.turns[i]
		}
		if !from.Before(part.Last) {
			if _, err := s.stage.Play(ctx, part, out, max(clock, from.Position.At), pacing, false); err != nil {
				return err
			}
		}
		if i == len(x.turns) || out.closed {
			return nil // frames of the client after the server's close frame are not waited for
		}
		if !from.Before(x.turns[i]) {
			if err := out.wait(ctx); err != nil {
				return err
			}
		}
		part.First, clock = x.turns[i], x.turns[i].At
	}
}

// socket writes a recorded WebSocket. It is a player.Sink.
type socket struct {
	stage  *emulate.Stage
	conn   *websocket.Conn
	ctx    context.Context
	code   websocket.StatusCode // close code of the recorded server
	reason string
	closed bool // the recorded server's close frame was reached
	pieces emulate.Pieces

	mu    sync.Mutex // guards count
	count int        // client messages that wait has not consumed
	more  chan struct{}
}

// countMessage counts a client message.
func (s *socket) countMessage() {
	s.mu.Lock()
	s.count++
	s.mu.Unlock()
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// wait consumes the client's next message, and blocks until it has arrived.
func (s *socket) wait(ctx context.Context) error {
	for {
		s.mu.Lock()
		got := s.count > 0
		if got {
			s.count--
		}
		s.mu.Unlock()
		if got {
			return nil
		}
		select {
		case <-s.more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Play implements player.Sink.
func (s *socket) Play(f *replay.Frame, _, _ int) error {
	if f.Flags.Has(schema.FlagNote) {
		s.noteClose(string(f.Raw))
		return nil
	}
	if f.Transport != schema.WebSocket {
		return nil // an answer that refused the upgrade
	}
	if f = s.pieces.Add(f); f == nil {
		return nil
	}
	kind := websocket.MessageText
	if f.Flags.Has(schema.FlagBinary) || !utf8.Valid(f.Raw) {
		kind = websocket.MessageBinary
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.stage.WriteTimeout())
	defer cancel()
	if err := s.conn.Write(ctx, kind, f.Raw); err != nil {
		return &emulate.ClientError{Err: err}
	}
	return nil
}

// noteClose parses a note such as "close 1000 bye".
func (s *socket) noteClose(note string) {
	rest, ok := strings.CutPrefix(note, "close ")
	if !ok {
		return
	}
	number, reason, _ := strings.Cut(rest, " ")
	s.closed = true
	if code, err := strconv.Atoi(number); err == nil &&
		(code >= 1000 && code <= 1003 || code >= 1007 && code <= 1014 || code >= 3000 && code < 5000 ||
			code == int(websocket.StatusNoStatusRcvd)) {
		s.code, s.reason = websocket.StatusCode(code), cutReason(reason)
	}
}

// cutReason shortens a reason to the 123 bytes that a close frame can hold (RFC 6455, section 5.5).
// Recorded reasons are longer if invalid UTF-8 was replaced in them.
func cutReason(reason string) string {
	const most = 123
	if len(reason) <= most {
		return reason
	}
	end := most
	for !utf8.RuneStart(reason[end]) {
		end--
	}
	return reason[:end]
}

// Flush implements player.Sink.
func (s *socket) Flush() error { return nil }
