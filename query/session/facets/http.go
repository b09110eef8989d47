package facets

import (
	"net/http"
	"time"

	"tapedeck/query/endpoint"
)

const facetsLimit, facetsMost = 200, 1000

// Handler serves the route of facets.
type Handler struct{ *endpoint.Base }

// Facets serves GET /v1/facets.
func (h Handler) Facets(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Query{Tenant: tenant}
	q.From, q.To = p.Range(time.UTC, h.Clock())
	q.Limit = p.Number("limit", facetsLimit, 1, facetsMost)
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	found, err := Read(r.Context(), h.Reader, q)
	h.Answer(w, r, found, err)
}
