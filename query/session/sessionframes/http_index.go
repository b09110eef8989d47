package sessionframes

import (
	"fmt"
	"net/http"

	"tapedeck/internal/problem"
	"tapedeck/query/endpoint"
	"tapedeck/schema"
)

// indexEvery, indexLeast and indexMost are the default, the minimum and the maximum number of
// frames between two marks of an index.
const indexEvery, indexLeast, indexMost = 1000, 100, 1_000_000

// FrameIndex serves GET /v1/sessions/{id}/frames/index.
func (h Handler) FrameIndex(w http.ResponseWriter, r *http.Request, tenant, session string) {
	p := endpoint.NewParams(r)
	q := Query{Tenant: tenant, Session: session, Filter: filter(p)}
	every := p.Number("every", indexEvery, indexLeast, indexMost)
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	index, err := ReadIndex(r.Context(), h.Reader, q, every)
	h.Answer(w, r, index, err)
}

// filter reads the parameters that select frames.
func filter(p *endpoint.Params) Filter {
	return Filter{
		Types: p.Words("type"), Nodes: p.Texts("node"), Agents: p.Texts("agent"),
		Directions: endpoint.SomeOf(p, "direction", directions),
	}
}

// FrameTypes serves GET /v1/sessions/{id}/frames/types.
func (h Handler) FrameTypes(w http.ResponseWriter, r *http.Request, tenant, session string) {
	if err := endpoint.NewParams(r).Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	types, err := ReadTypes(r.Context(), h.Reader, tenant, session)
	h.Answer(w, r, types, err)
}

// Frame serves GET /v1/sessions/{id}/frames/{position}.
func (h Handler) Frame(w http.ResponseWriter, r *http.Request, tenant, session, position string) {
	if err := endpoint.NewParams(r).Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	at, err := schema.ParsePosition(position)
	if err != nil {
		h.Fail(w, r, problem.BadParameter("position", fmt.Sprintf("position %q is not a position.", position),
			"the position of a frame"))
		return
	}
	frame, err := ReadOne(r.Context(), h.Reader, tenant, session, at)
	h.Answer(w, r, frame, err)
}
