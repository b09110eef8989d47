// Package router decides which emulated server answers a request to a session:
//
//   - httpreplay answers a method and path that a proxy recorded or that a provider
//     serves, except a Loom WebSocket at /;
//   - loom answers a WebSocket at /; GET /?form= returns the same runs as
//     lines, and GET / a hint;
//   - anthropicagent answers POST /agent/run and /agent/tool_results;
//   - compozy answers /api/v0/executions/….
package router

import (
	"net/http"
	"net/url"
	"strings"

	"tapedeck/internal/problem"
	"tapedeck/internal/upgrade"
	"tapedeck/replay"
	"tapedeck/replay/emulate"
	"tapedeck/replay/emulate/anthropicagent"
	"tapedeck/replay/emulate/compozy"
	"tapedeck/replay/emulate/httpreplay"
	"tapedeck/replay/emulate/loom"
)

// Server answers requests under /emulate/{session}/ and /api/v0/executions/.
type Server struct {
	stage      *emulate.Stage
	exchanges  *httpreplay.Server
	loom       *loom.Server
	agent      *anthropicagent.Server
	executions *compozy.Server
}

// New returns a server. sessions finds the session of a Compozy execution. If it is nil, executions
// are found only by session id.
func New(opts emulate.Options, sessions compozy.Sessions) *Server {
	stage := emulate.NewStage(opts)
	return &Server{
		stage: stage, exchanges: httpreplay.New(stage), loom: loom.New(stage),
		agent: anthropicagent.New(stage), executions: compozy.New(stage, sessions),
	}
}

const (
	name   = "front"
	prefix = "/emulate/"
)

// Session answers a request to /emulate/{session}[;setting=value…]/path.
func (s *Server) Session(w http.ResponseWriter, r *http.Request, tenant string) {
	segment, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), prefix), "/")
	path, err := url.PathUnescape("/" + rest)
	if err != nil {
		s.stage.Refuse(w, r, name, problem.BadParameter("path", "the path is not escaped as URLs are: "+err.Error()))
		return
	}
	var pacing emulate.Pacing
	session, err := pacing.SplitSession(segment)
	var t replay.Tape
	if err == nil {
		t, err = s.stage.Tape(r.Context(), tenant, session)
	}
	recorded := false
	if err == nil {
		recorded, err = s.exchanges.Has(r.Context(), tenant, session, t, r.Method, path)
	}
	if err != nil {
		// The preflight succeeds, so that the page can read why the request is refused.
		if s.stage.Origin(r) == nil && emulate.Preflight(w, r) {
			s.stage.Count(name, "ended")
			return
		}
		s.stage.Refuse(w, r, name, err)
		return
	}
	socket := upgrade.IsWebSocket(r)
	switch {
	case socket && loom.Records(t) && (path == "/" || !recorded), socket && path == "/" && !recorded:
		if pacing, err = settings(pacing, r.URL.Query()); err != nil {
			s.stage.Refuse(w, r, name, err)
			return
		}
		s.loom.Serve(w, r, tenant, session, t, pacing)
	case path == "/" && r.Method == http.MethodGet && loom.Records(t) && r.URL.Query().Has("form"):
		if pacing, err = settings(pacing, r.URL.Query()); err != nil {
			s.stage.Refuse(w, r, name, err)
			return
		}
		s.loom.ServeLines(w, r, tenant, session, r.URL.Query().Get("form"), t, pacing)
	case recorded:
		s.exchanges.Serve(w, r, tenant, session, path, t, pacing)
	case r.Method == http.MethodPost && anthropicagent.Serves(path):
		if pacing, err = settings(pacing, r.URL.Query()); err != nil {
			s.stage.Refuse(w, r, name, err)
			return
		}
		s.agent.Serve(w, r, tenant, session, path, t, pacing)
	case r.Method == http.MethodGet && compozy.Serves(path):
		s.executions.ServeSession(w, r, tenant, session, path, t, pacing)
	case path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead) && loom.Records(t):
		s.rootHint(w, r, session)
	default:
		s.exchanges.Serve(w, r, tenant, session, path, t, pacing)
	}
}

// Execution answers a request to /api/v0/executions/{kind}/{exec_id}/stream.
func (s *Server) Execution(w http.ResponseWriter, r *http.Request, tenant string) {
	s.executions.Serve(w, r, tenant, r.URL.Path)
}

// settings reads the parameters that are settings. It ignores the others, which were meant for the
// recorded server.
func settings(pacing emulate.Pacing, q url.Values) (emulate.Pacing, error) {
	for _, name := range emulate.Parameters {
		if err := pacing.Set(name, q.Get(name)); err != nil {
			return pacing, err
		}
	}
	return pacing, nil
}
