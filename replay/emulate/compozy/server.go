package compozy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/replay"
	"tapedeck/replay/emulate"
)

// Sessions finds the session in which an execution was recorded.
type Sessions interface {
	// SessionOfRun returns the session in which a run has this id, "" for none.
	SessionOfRun(ctx context.Context, tenant, run string) (string, error)
}

// Server serves executions.
type Server struct {
	stage    *emulate.Stage
	sessions Sessions // may be nil
	runs     emulate.Cache[map[string]bool]
}

// New returns a server. If sessions is nil, executions are found only by session id.
func New(s *emulate.Stage, sessions Sessions) *Server { return &Server{stage: s, sessions: sessions} }

const (
	server = "compozy"
	prefix = "/api/v0/executions/"
	// longest is the duration of a connection after which it ends with the next event. Clients
	// reconnect and name that event, so that the clock continues there. Without an event the same
	// silence would begin anew.
	longest = 10 * time.Minute
)

// Serves reports whether a path is the stream of an execution.
func Serves(path string) bool {
	_, _, ok := split(path)
	return ok
}

func split(path string) (kind, exec string, ok bool) {
	rest, ok1 := strings.CutPrefix(path, prefix)
	kind, rest, ok2 := strings.Cut(rest, "/")
	exec, ok3 := strings.CutSuffix(rest, "/stream")
	return kind, exec, ok1 && ok2 && ok3 && exec != "" &&
		slices.Contains([]string{"workflows", "agents", "tasks"}, kind)
}

// Serve answers a request for an execution. path is unescaped.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, tenant, path string) {
	kind, exec, ok := split(path)
	if !ok {
		s.refuse(w, r, problem.NotFound("Nothing is served at "+path+"."))
		return
	}
	ask, err := parse(r, emulate.Pacing{})
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	session := exec
	if s.sessions != nil {
		found, err := s.sessions.SessionOfRun(r.Context(), tenant, exec)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		if found != "" {
			session = found
		}
	}
	t, err := s.stage.Tape(r.Context(), tenant, session)
	if p, known := problem.From(err); err != nil && known && p.Status == http.StatusNotFound {
		err = problem.NotFound(fmt.Sprintf("There is no execution %q: neither a recorded one nor a session of that id.",
			exec))
	}
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	s.serve(w, r, t, session, kind, exec, ask)
}

// ServeSession answers a request for an execution in a session: an execution that was recorded in
// the session, or the session itself.
func (s *Server) ServeSession(
	w http.ResponseWriter, r *http.Request, tenant, session, path string, t replay.Tape, pacing emulate.Pacing,
) {
	kind, exec, _ := split(path)
	ask, err := parse(r, pacing)
	if err == nil && exec != session {
		var runs map[string]bool
		runs, err = s.runs.Get(r.Context(), tenant, session, t, runsOf)
		if err == nil && !runs[exec] {
			err = problem.NotFound(fmt.Sprintf("Session %q has recorded no execution %q.", session, exec))
		}
	}
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	s.serve(w, r, t, session, kind, exec, ask)
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	s.cors(w, r)
	s.stage.Refuse(w, r, server, err)
}

// cors allows pages to read the answer, as the specification requires. It allows all origins except
// those that the server's settings exclude.
func (s *Server) cors(w http.ResponseWriter, r *http.Request) {
	if s.stage.Origin(r) == nil {
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}
}

// ask is a client's request.
type ask struct {
	pacing emulate.Pacing
	after  int64 // Last-Event-ID; 0 for the start
	resume bool
	events []string // empty for all
}

// names lists the events in the specification and the events in Compozy's code.
var names = []string{
	"workflow_start", "workflow_status", "agent_start", "agent_status",
	"task_status", "status", "tool_call", "llm_chunk",
	"structured_delta", "warning", "error", "complete",
}

// parse parses a request. The error is a *problem.Problem. Unknown parameters are ignored.
func parse(r *http.Request, pacing emulate.Pacing) (ask, error) {
	a := ask{pacing: pacing}
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return a, problem.BadParameter("", "the query of the URL cannot be read: "+err.Error())
	}
	for _, name := range []string{"speed", "idle_limit", "from"} {
		if err := a.pacing.Set(name, q.Get(name)); err != nil {
			return a, err
		}
	}
	if v := q.Get("poll_ms"); v != "" {
		if n, err := strconv.Atoi(v); err != nil || n < 250 || n > 2000 {
			return a, problem.BadParameter("poll_ms", fmt.Sprintf("%q is not a number from 250 to 2000", v),
				"250 to 2000")
		}
	}
	for _, list := range q["events"] {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name == "" {
				continue
			}
			if !slices.Contains(names, name) {
				return a, problem.BadParameter("events", fmt.Sprintf("there is no event %q", name), names...)
			}
			a.events = append(a.events, name)
		}
	}
	if v := strings.TrimSpace(r.Header.Get("Last-Event-ID")); v != "" {
		if a.after, err = strconv.ParseInt(v, 10, 64); err != nil || a.after < 0 {
			return a, problem.BadParameter("Last-Event-ID", fmt.Sprintf("%q is not the id of an event", v),
				"a number from 0")
		}
		a.resume = true
	}
	return a, nil
}

// serve plays an execution.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, t replay.Tape, session, kind, exec string, a ask) {
	if err := s.stage.Origin(r); err != nil {
		s.refuse(w, r, err)
		return
	}
	part := partOf(t, exec)
	if exec == session { // requested by the session's id
		part = partOf(t, "")
	}
	happens, err := scriptOf(r.Context(), t)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	clock, err := s.clock(r.Context(), t, part, newEventWriter(kind, exec, native(t), happens), a)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	r, leave, err := s.stage.Enter(r, t)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	defer leave()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("Connection", "keep-alive")
	h.Set("X-Accel-Buffering", "no")
	s.cors(w, r)
	w.WriteHeader(http.StatusOK)
	out := &output{body: s.stage.NewBody(w), writer: newEventWriter(kind, exec, native(t), happens), ask: a,
		clock: clock, until: time.Now().Add(longest)}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	err = out.body.Flush()
	var beats sync.WaitGroup
	if err == nil {
		beats.Go(func() { out.beat(ctx, s.stage.Heartbeat(), cancel) })
		_, err = s.stage.Play(ctx, part, out, clock, a.pacing, false)
	}
	cancel()
	beats.Wait() // no writes after the handler has returned
	if err == nil && over(t) {
		err = out.send(out.writer.end())
	}
	if err == nil || errors.Is(err, errLongest) {
		err = out.body.Close()
	}
	_, left := errors.AsType[*emulate.ClientError](err)
	switch {
	case err == nil:
		s.stage.Count(server, "ended")
	case left || r.Context().Err() != nil:
		s.stage.Count(server, "left")
	default:
		s.stage.Count(server, "failed")
		s.stage.Log().Error("emulate: playing an execution failed", "error", err)
		panic(http.ErrAbortHandler) // the client reconnects
	}
}
