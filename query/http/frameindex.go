package queryhttp

import (
	"fmt"
	"net/http"

	"tapedeck/internal/problem"
	"tapedeck/query/sessionframes"
	"tapedeck/schema"
)

// How many frames lie between two marks of an index if nothing is said, at least
// and at most.
const indexEvery, indexLeast, indexMost = 1000, 100, 1_000_000

// FrameIndex answers GET /v1/sessions/{id}/frames/index.
func (s *Server) FrameIndex(w http.ResponseWriter, r *http.Request, tenant, session string) {
	p := newParams(r)
	q := sessionframes.Query{Tenant: tenant, Session: session, Filter: p.frameFilter()}
	every := p.number("every", indexEvery, indexLeast, indexMost)
	if err := p.done(); err != nil {
		s.fail(w, r, err)
		return
	}
	index, err := sessionframes.ReadIndex(r.Context(), s.reader, q, every)
	s.answer(w, r, index, err)
}

// frameFilter reads which frames are asked for.
func (p *params) frameFilter() sessionframes.Filter {
	return sessionframes.Filter{
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
	types, err := sessionframes.ReadTypes(r.Context(), s.reader, tenant, session)
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
	frame, err := sessionframes.ReadOne(r.Context(), s.reader, tenant, session, at)
	s.answer(w, r, frame, err)
}
