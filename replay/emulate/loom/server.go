package loom

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/valyala/fastjson"

	"tapedeck/internal/problem"
	"tapedeck/replay"
	"tapedeck/replay/emulate"
)

// Server implements Loom's WebSocket protocol.
type Server struct {
	stage   *emulate.Stage
	indexes emulate.Cache[*index]
	takes   emulate.Takes

	mu sync.Mutex // guards next
	// next maps a session to where the connection that follows continues, after one that was closed
	// after an error.
	next map[[2]string]leftOff
}

// New returns a server.
func New(s *emulate.Stage) *Server { return &Server{stage: s, next: map[[2]string]leftOff{}} }

// leftOff is the end of a connection.
type leftOff struct {
	played int // number of runs that were played
	at     time.Time
}

// nextLimit bounds the sessions in next; the earliest is dropped first.
const nextLimit = 1024

const (
	server       = "loom"
	requestLimit = 16 << 20 // bytes of one request
	waiting      = 64       // requests that wait while a run is played
)

// Records reports whether a session has Loom streams.
func Records(t replay.Tape) bool {
	for _, s := range t.Streams() {
		if s.Dialect == dialect {
			return true
		}
	}
	return false
}

// Serve answers a request for a WebSocket.
func (s *Server) Serve(
	w http.ResponseWriter, r *http.Request, tenant, session string, t replay.Tape, pace emulate.Pacing,
) {
	b, from, err := s.open(r, tenant, session, t, pace)
	if err != nil {
		s.stage.Refuse(w, r, server, err)
		return
	}
	r, leave, err := s.stage.Enter(r, t)
	if err != nil {
		s.stage.Refuse(w, r, server, err)
		return
	}
	defer leave()
	socket, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // Origin was checked
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil { // Accept has answered the request
		s.stage.Count(server, "refused")
		return
	}
	socket.SetReadLimit(requestLimit)
	c := &conn{
		server: s, socket: socket, tape: t, index: b, pace: pace, from: from,
		tenant: tenant, session: session, requests: make(chan []byte, waiting),
	}
	outcome := c.serve(r.Context())
	s.stage.Count(server, outcome)
}

func (s *Server) open(
	r *http.Request, tenant, session string, t replay.Tape, pace emulate.Pacing,
) (*index, replay.Place, error) {
	if err := s.stage.Origin(r); err != nil {
		return nil, replay.Place{}, err
	}
	from, err := s.stage.From(r.Context(), t, pace)
	if err != nil {
		return nil, from, err
	}
	b, err := s.index(r.Context(), tenant, session, t)
	return b, from, err
}

// Speaks returns nil if a session can be played in Loom's protocol, else a
// *problem.Problem.
func (s *Server) Speaks(ctx context.Context, tenant, session string, t replay.Tape) error {
	_, err := s.index(ctx, tenant, session, t)
	return err
}

func (s *Server) index(ctx context.Context, tenant, session string, t replay.Tape) (*index, error) {
	b, err := s.indexes.Get(ctx, tenant, session, t, read)
	if err == nil && len(b.runs) == 0 && len(b.tools.specs) == 0 {
		err = &problem.Problem{
			Title: "No Loom runs", Status: http.StatusConflict,
			Detail: fmt.Sprintf(
				"Session %q has no recorded runs of Loom, so there is nothing to speak its protocol with.", session,
			),
			Hint: "Replay it with /v1/sessions/{id}/replay, or ask for what a proxy recorded at its own path.",
		}
	}
	return b, err
}

// conn is one connection.
type conn struct {
	server          *Server
	socket          *websocket.Conn
	tape            replay.Tape
	index           *index
	pace            emulate.Pacing
	from            replay.Place
	tenant, session string
	played          int           // runs of this connection and of those that it continues
	takes           emulate.Takes // takes of this connection only
	requests        chan []byte

	mu     sync.Mutex // guards cancel
	cancel context.CancelCauseFunc
}

var (
	errCancelled = errors.New("run cancelled")
	errClosing   = errors.New("the run failed: the connection is closed")
)

// serve answers requests, one after another, until the connection ends. It returns the reason for
// the end.
func (c *conn) serve(parent context.Context) string {
	ctx, cancel := context.WithCancel(parent)
	var others sync.WaitGroup
	defer func() {
		cancel()
		_ = c.socket.CloseNow() // the connection may be closed already
		others.Wait()
	}()
	others.Go(func() { defer cancel(); c.listen(ctx) })
	c.played = c.server.resume(c.tenant, c.session)
	for {
		var err error
		select {
		case <-ctx.Done():
			if parent.Err() != nil {
				_ = c.socket.Close(websocket.StatusGoingAway, "the server is stopping")
			}
			return "left"
		case request := <-c.requests:
			err = c.answer(ctx, request)
		}
		switch _, gone := errors.AsType[*emulate.ClientError](err); {
		case err == nil:
		case errors.Is(err, errClosing):
			_ = c.socket.Close(websocket.StatusNormalClosure, "")
			return "ended"
		case gone || ctx.Err() != nil:
			return "left"
		default:
			p := c.server.stage.Problem(err, server)
			if c.write(ctx, websocket.MessageText, errorOf("", p.Detail)) == nil {
				_ = c.socket.Close(websocket.StatusInternalError, "the recording could not be read")
			}
			return "failed"
		}
	}
}

// listen queues the client's requests; a cancel_run takes effect at once.
func (c *conn) listen(ctx context.Context) {
	for {
		_, request, err := c.socket.Read(context.WithoutCancel(ctx))
		if err != nil {
			return
		}
		if fastjson.GetString(request, "type") == "cancel_run" {
			c.mu.Lock()
			if c.cancel != nil {
				c.cancel(errCancelled)
			}
			c.mu.Unlock()
		}
		select {
		case c.requests <- request:
		case <-ctx.Done():
			return
		}
	}
}

func (c *conn) write(ctx context.Context, kind websocket.MessageType, message []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.server.stage.WriteTimeout())
	defer cancel()
	if err := c.socket.Write(ctx, kind, message); err != nil {
		return &emulate.ClientError{Err: err}
	}
	return nil
}

// resume returns the number of runs at which the previous connection ended.
func (s *Server) resume(tenant, session string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := [2]string{tenant, session}
	n := s.next[k].played
	delete(s.next, k)
	return n
}

func (s *Server) leaveOff(tenant, session string, played int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.next) >= nextLimit {
		var earliest [2]string
		var at time.Time
		for k, left := range s.next {
			if at.IsZero() || left.at.Before(at) {
				earliest, at = k, left.at
			}
		}
		delete(s.next, earliest)
	}
	s.next[[2]string{tenant, session}] = leftOff{played, time.Now()}
}
