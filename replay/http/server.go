package replayhttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"tapedeck/internal/budget"
	"tapedeck/internal/problem"
	"tapedeck/replay"
	"tapedeck/replay/player"
	"tapedeck/replay/serve"
	"tapedeck/schema"
)

// Options configures a server.
type Options = serve.Options

// Server serves playbacks.
type Server struct {
	opts    Options
	players *player.Metrics
	metrics *metrics
}

// New returns a server and registers its metrics.
func New(opts Options) *Server {
	opts = opts.WithDefaults()
	return &Server{
		opts:    opts,
		players: player.NewMetrics(opts.Registerer), metrics: newMetrics(opts.Registerer),
	}
}

// Replay serves GET /v1/sessions/{id}/replay for a session of a tenant. It returns when the
// playback has ended. If the playback breaks off within recorded bytes, Replay panics with
// http.ErrAbortHandler.
func (s *Server) Replay(w http.ResponseWriter, r *http.Request, tenant, session string) {
	req, err := parse(r)
	if err != nil {
		s.refuse(w, r, session, err)
		return
	}
	grant, err := s.opts.Budget.Enter()
	if err != nil {
		s.refuse(w, r, session, err)
		return
	}
	defer grant.Close()
	r = r.WithContext(budget.With(r.Context(), grant))
	s.metrics.running.Inc()
	defer s.metrics.running.Dec()
	tape, opts, err := s.open(r.Context(), tenant, session, req)
	if err == nil {
		err = grant.Reserve(r.Context(), replay.Holds(tape))
	}
	if err == nil && req.asClient() {
		tape, err = openedAt(r.Context(), tape, opts.From, grant)
	}
	if err != nil {
		s.refuse(w, r, session, err)
		return
	}
	if req.transport == schema.WebSocket {
		s.serveWebSocket(w, r, session, tape, req, opts)
		return
	}
	switch over, err := req.over(r.Context(), tape, &opts); {
	case err != nil:
		s.refuse(w, r, session, err)
	case over:
		s.noMore(w)
	default:
		s.serveBody(w, r, session, tape, req, opts)
	}
}

// open finds the tape and the places that the request names.
func (s *Server) open(ctx context.Context, tenant, session string, req *request) (replay.Tape, player.Options, error) {
	library := s.opts.Library
	if req.follow && s.opts.Live != nil {
		library = s.opts.Live
	}
	tape, err := library.Tape(ctx, tenant, session)
	if errors.Is(err, replay.ErrNoSession) {
		p := problem.NotFound(fmt.Sprintf("There is no session %q.", session))
		p.Hint = "GET /v1/sessions lists the sessions there are."
		return nil, player.Options{}, p
	}
	if err != nil {
		return nil, player.Options{}, err
	}
	if req.follow && s.opts.Live == nil && running(tape) {
		return nil, player.Options{}, &problem.Problem{
			Status: http.StatusNotImplemented, Parameter: "follow", Allowed: []string{"0"},
			Detail: fmt.Sprintf("Session %q is still running, and this server does not follow running sessions.",
				session),
			Hint: "Leave follow out to play what is recorded so far.",
		}
	}
	opts, err := req.options(ctx, tape)
	opts.Alarm, opts.Metrics, opts.LagLimit = s.opts.Alarm, s.players, s.opts.LagLimit.Or(time.Minute)
	return tape, opts, err
}

func running(t replay.Tape) bool {
	for _, s := range t.Streams() {
		if s.Ended == 0 {
			return true
		}
	}
	return false
}

// refuse answers with a problem instead of a playback.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, session string, err error) {
	s.metrics.ended(outcomeRefused)
	if r.Context().Err() != nil {
		problem.Write(w, problem.Ended(r.Context())) // in case the client is still connected
		return
	}
	problem.Write(w, s.problemOf(err, session))
}

// problemOf returns the problem that the client receives for an error. It logs errors
// that the client did not cause.
func (s *Server) problemOf(err error, session string) *problem.Problem {
	p, ok := problem.From(err)
	if ok {
		return p
	}
	if errors.Is(err, replay.ErrDeleted) {
		return &problem.Problem{Title: problem.SessionDeleted, Status: http.StatusGone,
			Detail: "The session was deleted while it was played."}
	}
	if lag, ok := errors.AsType[*player.LagError](err); ok {
		return &problem.Problem{
			Title: "Client too slow", Status: http.StatusRequestTimeout,
			Detail: "The playback fell behind, since it was not read in time: " + lag.Error() + ".",
			Hint:   "Last-Event-ID goes on after position; speed=max plays as fast as it is read.",
		}
	}
	s.opts.Logger.Error("replay: a session could not be played", "session", session, "error", err)
	return &problem.Problem{
		Title: "Recording not readable", Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
		Detail: "The recording could not be read; the server's log says why.",
		Hint:   "Try again; Last-Event-ID goes on where the playback stopped.",
	}
}
