package queryhttp

import (
	"fmt"
	"net/http"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/schema"
)

// How many frames lie between two marks of an index if nothing is said, at least
// and at most.
const indexEvery, indexLeast, indexMost = 1000, 100, 1_000_000

// FrameIndex answers GET /v1/sessions/{id}/frames/index.
func (s *Server) FrameIndex(w http.ResponseWriter, r *http.Request, tenant, session string) {
	p := newParams(r)
	q := query.FrameQuery{Tenant: tenant, Session: session, FrameFilter: p.frameFilter()}
	every := p.number("every", indexEvery, indexLeast, indexMost)
	if err := p.done(); err != nil {
		s.fail(w, r, err)
		return
	}
	index, err := s.reader.FrameIndex(r.Context(), q, every)
	s.answer(w, r, index, err)
}

// frameFilter reads which frames are asked for.
func (p *params) frameFilter() query.FrameFilter {
	return query.FrameFilter{
		Types: p.words("type"), Nodes: p.texts("node"), Agents: p.texts("agent"),
		Directions: someOf(p, "direction", directions),
	}
}

// FrameTypes answers GET /v1/sessions/{id}/frames/types.
func (s *Server) FrameTypes(w http.ResponseWriter, r *http.Request, tenant, session string) {
	if err := newParams(r).done(); err != nil {
		s.fail(w, r, err)
		return
	}
	types, err := s.reader.FrameTypes(r.Context(), tenant, session)
	s.answer(w, r, types, err)
}

// Frame answers GET /v1/sessions/{id}/frames/{position}.
func (s *Server) Frame(w http.ResponseWriter, r *http.Request, tenant, session, position string) {
	if err := newParams(r).done(); err != nil {
		s.fail(w, r, err)
		return
	}
	at, err := schema.ParsePosition(position)
	if err != nil {
		s.fail(w, r, problem.BadParameter("position", fmt.Sprintf("position %q is not a position.", position), "the position of a frame"))
		return
	}
	frame, err := s.reader.Frame(r.Context(), tenant, session, at)
	s.answer(w, r, frame, err)
}
