package queryhttp

import (
	"net/http"
	"time"

	"tapedeck/query/facets"
	"tapedeck/query/sessionstreams"
)

const (
	facetsLimit, facetsMost   = 200, 1000
	streamsLimit, streamsMost = 50, 500
)

// Facets answers GET /v1/facets.
func (s *Server) Facets(w http.ResponseWriter, r *http.Request, tenant string) {
	p := newParams(r)
	q := facets.Query{Tenant: tenant}
	q.From, q.To = p.span(time.UTC, s.now())
	q.Limit = p.number("limit", facetsLimit, 1, facetsMost)
	if err := p.done(); err != nil {
		s.fail(w, r, err)
		return
	}
	facets, err := facets.Read(r.Context(), s.reader, q)
	s.answer(w, r, facets, err)
}

// Streams answers GET /v1/streams.
func (s *Server) Streams(w http.ResponseWriter, r *http.Request, tenant string) {
	p := newParams(r)
	q := sessionstreams.Query{
		Tenant: tenant, Session: p.text("session"), Stream: p.text("stream"), Active: p.flag("active"), Failed: p.flag("failed"),
		Limit: p.number("limit", streamsLimit, 1, streamsMost),
	}
	q.Digest = p.digest("digest")
	if err := p.done(); err != nil {
		s.fail(w, r, err)
		return
	}
	page, err := sessionstreams.Latest(r.Context(), s.reader, q)
	s.answer(w, r, page, err)
}
