// Package router decides which emulated server answers a request to a session:
//
//   - what a proxy recorded for the method and path, or a provider serves there,
//     is played as such, except that a Loom WebSocket at / is spoken with;
//   - a WebSocket at / speaks Loom's protocol; GET /?form= gives the same runs as
//     lines, and GET / alone says so;
//   - POST /agent/run and /agent/tool_results speak anthropic_agent's;
//   - /api/v0/executions/… speaks Compozy's.
package router

import (
	"net/http"
	"net/url"
	"strings"

	"tapedeck/internal/problem"
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

// New makes a server. sessions finds the session of an execution that Compozy
// named; nil where only sessions' own ids are known.
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
		// The preflight succeeds: the page can then read why the request is refused.
		if s.stage.Origin(r) == nil && emulate.Preflight(w, r) {
			s.stage.Count(name, "ended")
			return
		}
		s.stage.Refuse(w, r, name, err)
		return
	}
	socket := isUpgrade(r)
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

// settings reads those parameters that are settings. Others are the client's own
// business, as they were the recorded server's.
func settings(pacing emulate.Pacing, q url.Values) (emulate.Pacing, error) {
	for _, name := range emulate.Parameters {
		if err := pacing.Set(name, q.Get(name)); err != nil {
			return pacing, err
		}
	}
	return pacing, nil
}

func isUpgrade(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}
